import type { MemoryClient } from '@memory-service/sdk';
import { collect } from '../collect.js';
import type { Item } from './sender.js';

/** The most characters of a file that becomes one memory, and of a chunk of a longer one. */
export const CHUNK_LENGTH = 2_000;
const NEEDED_ABILITIES = ['memory:search', 'memory:admin'];

/** A text file. */
export interface TextFile {
  content: string;
  /** The path, which is the external key of a file that is not split. */
  path: string;
  source: string;
}

/** The result of a file, like that of a memory. */
export type Stored = { outcome: string } | { error: { code: string; message: string } };

type Client = Pick<MemoryClient, 'session' | 'documents' | 'ingest' | 'ingestBatch' | 'export' | 'deleteMany'>;

/** Returns the item of a file that is one memory. */
export function itemOf({ content, path, source }: TextFile): Item {
  // Each file is a document, so that two files may have equal contents.
  const metadata = { source, path, documentId: documentIdOf({ path, source }), chunkIndex: 0, chunkTotal: 1 };
  return { content, externalKey: path, scope: { source }, metadata };
}

function documentIdOf({ path, source }: Pick<TextFile, 'path' | 'source'>): string {
  return `${source}/${path}`;
}

/** Stores text files: a short one as one memory, and a long one as chunks. Replaces what an earlier import stored. */
export class TextFiles {
  readonly #client: Client;
  readonly #onWhole: () => void;
  #known: Promise<ReadonlySet<string>> | undefined;
  #allowed: Promise<boolean> | undefined;
  #hasLongFiles = false;

  /** @param onWhole called when the token may not split files: long files are then stored whole */
  constructor(client: Client, onWhole: () => void) {
    this.#client = client;
    this.#onWhole = onWhole;
  }

  /** Reports if a file is stored as chunks. */
  async splits({ content }: TextFile): Promise<boolean> {
    if (content.length <= CHUNK_LENGTH) return false;
    const isAllowed = await this.#isAllowed();
    if (!isAllowed && !this.#hasLongFiles) this.#onWhole();
    this.#hasLongFiles = true;
    return isAllowed;
  }

  /** Stores a long file as chunks. @throws an error of the service, after which the same call continues */
  async split({ content: text, path, source }: TextFile, batchItems: number): Promise<Stored> {
    const { DocumentSyncError, syncDocument } = await import('@memory-service/sdk');
    const documentId = documentIdOf({ path, source });
    const isKnown = await this.#isKnown(documentId);
    const input = { text, documentId, maxLength: CHUNK_LENGTH, metadata: { source, path }, batchItems };
    try {
      const { created, deleted, chunkTotal } = await syncDocument(this.#client, input);
      const replaced = isKnown ? await this.#deleteOf(documentId, (key) => key === path) : 0;
      if (created === chunkTotal && !isKnown) return { outcome: 'created' };
      return { outcome: created + deleted + replaced === 0 ? 'deduplicated' : 'updated' };
    } catch (error) {
      if (!(error instanceof DocumentSyncError)) throw error;
      return { error: { code: error.failures[0]?.code ?? 'validation_failed', message: error.message } };
    }
  }

  /** Completes the result of a file that was sent as one memory: chunks of an earlier, longer revision are deleted. */
  async settle(file: TextFile, result: Stored): Promise<Stored> {
    // The key may belong to the memory of an earlier revision, which was deleted.
    const isFree = !('error' in result) || result.error.code !== 'not_found';
    const stored = isFree ? result : await this.#ingest(file);
    if ('error' in stored || stored.outcome !== 'created' || !(await this.#isAllowed())) return stored;
    const documentId = documentIdOf(file);
    if (!(await this.#isKnown(documentId))) return stored;
    const deleted = await this.#deleteOf(documentId, (key) => key.startsWith(`${documentId}#`));
    return deleted === 0 ? stored : { outcome: 'updated' };
  }

  async #ingest(file: TextFile): Promise<Stored> {
    try {
      const { outcome } = await this.#client.ingest(itemOf(file));
      return { outcome };
    } catch (error) {
      const { status, code, message } = error as { status?: number; code?: string; message: string };
      if (code === undefined || (status !== 409 && status !== 422)) throw error;
      return { error: { code, message } };
    }
  }

  #isAllowed(): Promise<boolean> {
    this.#allowed ??= this.#client.session.get().then(({ credential: { abilities } }) => {
      return abilities.includes('*') || NEEDED_ABILITIES.every((ability) => abilities.includes(ability));
    });
    return this.#allowed;
  }

  /** Reports if the document was stored before. Lists all documents once, which takes fewer requests. */
  async #isKnown(documentId: string): Promise<boolean> {
    this.#known ??= collect(this.#client.documents.list()).then(
      (documents) => new Set(documents.map((document) => document.documentId)),
    );
    return (await this.#known).has(documentId);
  }

  async #deleteOf(documentId: string, selects: (externalKey: string) => boolean): Promise<number> {
    const ids: string[] = [];
    for await (const { id, externalKey = '' } of this.#client.export({ filter: { documentId } })) {
      if (selects(externalKey)) ids.push(id);
    }
    if (ids.length > 0) await this.#client.deleteMany({ ids });
    return ids.length;
  }
}
