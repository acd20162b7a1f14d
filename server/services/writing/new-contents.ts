import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { mayHaveFormerWords } from '../../domain/account/organization.js';
import { subjectText } from '../../domain/filter/memory-facets.js';
import type { ReadContent } from '../../domain/retrieval/read-content.js';
import type { Microseconds } from '../../domain/timestamp.js';
import type { PlacedContent } from '../memories/embed-contents.js';
import { embedDocuments, requireEmbedder, type Vectors } from '../memories/embedding.js';
import { readSettings } from '../organization/settings.js';
import type { Draft, NewContent } from './draft.js';

type Placed = Pick<Draft, 'content' | 'contentHash' | 'chunk' | 'subjectKey'> & { deletedAt?: Microseconds };

/** The new contents of one request. Equal ones are read and embedded once. */
export class NewContents {
  /** The key is the hash of the content. */
  readonly #read = new Map<string, ReadContent>();
  /** The key is the `vectorKey`. */
  readonly #vectors = new Map<string, Vectors>();

  /**
   * Reads and embeds contents that have no vector yet by the embedder that searches use.
   *
   * @param context see `embedContents`
   * @throws {EmbeddingUnavailableError}
   * @throws {ShareExceededError}
   */
  async make(
    deps: Pick<Deps, 'store' | 'embedder' | 'texts'>,
    caller: Pick<Caller, 'organizationId' | 'settings'>,
    { wanted, context = wanted }: { wanted: readonly Placed[]; context?: readonly Placed[] },
  ): Promise<void> {
    const settings = await readSettings(deps, caller);
    const { fingerprint } = requireEmbedder(deps, settings);
    const missing = wanted.filter((item) => !this.#vectors.get(vectorKey(item))?.has(fingerprint));
    if (missing.length === 0) return;
    const row = deps.texts.row(caller.organizationId);
    const withFormer = mayHaveFormerWords(settings);
    for (const { content, contentHash } of missing) {
      if (!this.#read.has(contentHash)) this.#read.set(contentHash, await row.read(content, withFormer));
    }
    const made = await embedDocuments(deps, { ...caller, settings }, missing.map(placed), context.map(placed));
    for (const [at, item] of missing.entries()) {
      const vectors = made[at];
      if (vectors) this.#vectors.set(vectorKey(item), vectors);
    }
  }

  /** Returns undefined if the content was not read and embedded. */
  of(item: Omit<Placed, 'content'>): NewContent | undefined {
    const [read, vectors] = [this.readOf(item), this.#vectors.get(vectorKey(item))];
    return read && vectors && { read, vectors };
  }

  readOf({ contentHash }: Pick<Placed, 'contentHash'>): ReadContent | undefined {
    return this.#read.get(contentHash);
  }
}

/** Identifies a vector among the items of a request. Equal contents of two chunks may have different vectors. */
export function vectorKey({ contentHash, chunk, subjectKey }: Omit<Placed, 'content'>): string {
  return chunk === undefined ? contentHash : JSON.stringify([contentHash, chunk, subjectText(subjectKey)]);
}

/** A deleted memory is no chunk of its document any more. */
function placed({ content, chunk, subjectKey, deletedAt }: Placed): PlacedContent {
  return deletedAt === undefined ? { content, chunk, subjectKey } : { content };
}
