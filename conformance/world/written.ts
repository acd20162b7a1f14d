import { AsyncLocalStorage } from 'node:async_hooks';
import type { Answer, MemoryRecord } from '../transport/answer.js';
import type { ToolAnswer, ToolCall } from '../transport/tool-client.js';

const MEMORIES = '/api/memories';

/** Under which metadata key everything that a run writes carries the id of the run. */
export const TAG = 'conformance';

/** A memory that is to be deleted, with the token of its organization where that is another. */
export interface Left {
  readonly id: string;
  readonly token: string | undefined;
}

/** The memories that were written and not deleted again, as the answers tell. */
export class Written {
  private readonly tokens = new Map<string, string | undefined>();

  constructor(private readonly runId: string) {}

  get left(): Left[] {
    return Array.from(this.tokens, ([id, token]) => ({ id, token }));
  }

  /** Takes in the record, or the results of a batch, that a write was answered with. */
  note({ results, ...record }: Record<string, unknown>, token?: string): void {
    const entries = (Array.isArray(results) ? results : [record]) as Partial<MemoryRecord>[];
    for (const { id, outcome, metadata } of entries) {
      // A faulty deployment may report another memory as new: only memories with the tag belong to the run.
      if (id !== undefined && outcome === 'created' && metadata?.[TAG] === this.runId) this.tokens.set(id, token);
    }
  }

  /** Has a memory deleted that is the run's, though it does not carry its tag. */
  add(id: string): void {
    this.tokens.set(id, undefined);
  }

  /** Takes note that a memory was deleted. */
  forget(id: string): void {
    this.tokens.delete(id);
  }
}

/** Who wrote what: each check for itself, so that it can be deleted as soon as the check is over. */
export class WrittenMemories {
  /** The memories that several checks share. */
  readonly shared: Written;
  private readonly current = new AsyncLocalStorage<Written>();

  constructor(private readonly runId: string) {
    this.shared = new Written(runId);
  }

  /** The record of the current writes. */
  get open(): Written {
    return this.current.getStore() ?? this.shared;
  }

  /** Notes what a request wrote or deleted. */
  noteRequest(method: string, path: string, { status, body }: Answer, token: string | undefined): void {
    if (!path.startsWith(MEMORIES) || method === 'GET') return;
    if (method === 'DELETE' && status === 204) this.open.forget(path.slice(MEMORIES.length + 1));
    else if (status === 200 && path.endsWith('/restore')) this.open.add(String(body.id));
    else if (status < 300) this.open.note(body, token);
  }

  /** Notes what a tool wrote or deleted. */
  noteTool({ name, given }: ToolCall, { isError, data }: ToolAnswer, token: string | undefined): void {
    if (isError) return;
    if (name === 'memory_delete') this.open.forget(String(given.id));
    else this.open.note(data, token);
  }

  /** Does some work, and hands on what it wrote and left, whatever it came to. */
  async record(work: () => Promise<void>, handOn: (written: Written) => void): Promise<void> {
    const written = new Written(this.runId);
    try {
      await this.current.run(written, work);
    } finally {
      handOn(written);
    }
  }

  /** Does some work on which others build too: what it writes stays until the end. */
  async share<T>(work: () => Promise<T>): Promise<T> {
    return this.current.run(this.shared, work);
  }
}
