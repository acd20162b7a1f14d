import type { Answer, MemoryRecord } from '../transport/answer.js';
import { PrerequisiteError } from '../transport/prerequisite.js';
import type { Sending } from '../transport/request.js';
import { Requests } from './requests.js';
import { uniqueText, uniqueWord } from './words.js';
import { TAG } from './written.js';

/** Members of an ingest or upsert; content and the tag in the metadata are made where they are absent. */
export interface Fields {
  content?: string;
  metadata?: Record<string, unknown>;
  externalKey?: string;
  scope?: { source?: string; project?: string };
  subjectKey?: string | number;
}

export type Read = 'recent' | 'export' | 'stats' | 'changes';

/** Before every memory of a run. */
const ALWAYS = '2020-01-01T00:00:00Z';

/** The operations on memories, and the memories and words that checks build on. */
export class MemoryRequests extends Requests {
  private largeProject: Promise<string> | undefined;

  /** A text that no other check and no other run has written. */
  unique(topic: string): string {
    return uniqueText(topic);
  }

  /** Two texts that the deployment takes for nearly the same: those of the profile, or one in two spellings. */
  nearDuplicates(): readonly [string, string] {
    const mark = this.unique('near');
    const [one, other] = this.profile.nearDuplicates ?? ['the release notes of', 'The  Release Notes of'];
    return [`${one} ${mark}`, `${other} ${mark}`];
  }

  /** A word for a key, a project or an agent that no other check uses. */
  word(): string {
    return uniqueWord();
  }

  /** Metadata with the tag of the run. */
  tagged(metadata: Record<string, unknown> = {}): Record<string, unknown> {
    return { ...metadata, [TAG]: this.runId };
  }

  /** Returns the body of an ingest: a new content unless one is given, and tagged metadata. */
  fields({ content = this.unique('memory'), metadata, ...others }: Fields = {}): Fields {
    return { content, metadata: this.tagged(metadata), ...others };
  }

  async ingest(fields: Fields = {}, sending?: Sending): Promise<Answer> {
    return this.send('POST', '/api/memories', this.fields(fields), sending);
  }

  async upsert(fields: Fields = {}, sending?: Sending): Promise<Answer> {
    return this.send('PUT', '/api/memories', this.fields({ externalKey: this.word(), ...fields }), sending);
  }

  async batch(items: readonly unknown[], others: Record<string, unknown> = {}): Promise<Answer> {
    return this.send('POST', '/api/memories/batch', { items, ...others });
  }

  async search(body: Record<string, unknown>, sending?: Sending): Promise<Answer> {
    return this.send('POST', '/api/memories/search', body, sending);
  }

  async get(id: string, query: Record<string, unknown> = {}, sending: Sending = {}): Promise<Answer> {
    return this.send('GET', `/api/memories/${id}`, undefined, { ...sending, query });
  }

  async similar(id: string, query: Record<string, unknown> = {}, sending: Sending = {}): Promise<Answer> {
    return this.send('GET', `/api/memories/${id}/similar`, undefined, { ...sending, query });
  }

  async patch(id: string, body: unknown, sending?: Sending): Promise<Answer> {
    return this.send('PATCH', `/api/memories/${id}`, body, sending);
  }

  async delete(id: string, sending?: Sending): Promise<Answer> {
    return this.send('DELETE', `/api/memories/${id}`, undefined, sending);
  }

  /** One of the reads by GET; changes since ever unless `since` is given. */
  async read(which: Read, query: Record<string, unknown> = {}, sending: Sending = {}): Promise<Answer> {
    const since = which === 'changes' ? { since: ALWAYS } : {};
    return this.send('GET', `/api/memories/${which}`, undefined, { ...sending, query: { ...since, ...query } });
  }

  /**
   * A memory that the check builds on.
   *
   * @throws {PrerequisiteError}
   */
  async stored(fields: Fields = {}, sending?: Sending): Promise<MemoryRecord> {
    const answer = await this.ingest(fields, sending);
    return created(answer, 'storing a memory');
  }

  /** @throws {PrerequisiteError} */
  async storedByKey(fields: Fields = {}): Promise<MemoryRecord> {
    return created(await this.upsert(fields), 'storing a memory by its key');
  }

  /**
   * A project of one memory more than a page has unless asked otherwise; made once, for deleting so many takes long.
   */
  async projectBeyondAPage(): Promise<string> {
    this.largeProject ??= this.ledger.share(() => this.storeMany(this.contract.limitOf('exportMemories').default + 1));
    return this.largeProject;
  }

  /** A memory that was deleted. @throws {PrerequisiteError} */
  async deleted(fields: Fields = {}): Promise<MemoryRecord> {
    const memory = await this.stored(fields);
    const answer = await this.delete(memory.id);
    if (answer.status !== 204) throw new PrerequisiteError(`deleting a memory was answered with ${answer.status}`);
    return memory;
  }

  /** Every page of a feed of changes or an export, from the start or from a cursor. */
  async pages(which: 'export' | 'changes', query: Record<string, unknown>, sending?: Sending): Promise<Answer[]> {
    const pages: Answer[] = [];
    let { cursor } = query;
    for (;;) {
      const page = await this.read(which, { ...query, cursor }, sending);
      if (page.status !== 200) throw new PrerequisiteError(`a page of ${which} was answered with ${page.status}`);
      pages.push(page);
      const next = which === 'export' ? page.headers.get('x-next-cursor') : page.body.nextCursor;
      if (typeof next !== 'string' || next === cursor || page.memories.length === 0) return pages;
      cursor = next;
    }
  }

  private async storeMany(count: number): Promise<string> {
    const project = this.word();
    const size = this.limits.batchItems;
    for (let left = count; left > 0; left -= size) {
      const fields = () => this.fields({ content: this.unique(`one of ${project}`), metadata: { project } });
      await this.batch(Array.from({ length: Math.min(size, left) }, fields));
    }
    return project;
  }
}

function created(answer: Answer, what: string): MemoryRecord {
  if (answer.status === 201 && typeof answer.body.id === 'string') return answer.memory;
  throw new PrerequisiteError(`${what} was answered with ${answer.status}: ${answer.text.slice(0, 200)}`);
}
