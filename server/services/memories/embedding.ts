import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { OrganizationSettings } from '../../domain/account/organization.js';
import { ShareExceededError } from '../../domain/fairness/owner.js';
import { WORDS_VERSION } from '../../domain/text/words.js';
import { UnavailableError } from '../../errors.js';
import { type Embedder, EmbeddingUnavailableError } from '../../ports/embedder.js';
import { EmbedderReplacedError } from '../../ports/store-errors.js';
import type { Indexed, UnitOfWork } from '../../ports/unit-of-work.js';
import { readSettings } from '../organization/settings.js';
import { embedContents, type PlacedContent } from './embed-contents.js';

const RETRY_AFTER_SECONDS = 60;
/** How long a write waits for the pending embedder after the other one has answered. */
const PENDING_WAIT_MS = 500;
/** Embedders that one search tries, if the organization is re-embedded meanwhile. */
const MAX_ROUNDS = 3;

/** The vectors of one content, by the fingerprint of their embedder. */
export type Vectors = ReadonlyMap<string, Float32Array>;

type EmbedDeps = Pick<Deps, 'store' | 'embedder'>;

/** Returns the embedder with a fingerprint: the configured one, or a former one that the service still has. */
export function embedderOf(
  { embedder }: Pick<Deps, 'embedder'>,
  fingerprint: string | undefined,
): Embedder | undefined {
  if (fingerprint === undefined || fingerprint === embedder.fingerprint) return embedder;
  return embedder.formerOf?.(fingerprint);
}

/**
 * Returns the embedder that made the vectors which searches compare. Vectors of different embedders are never compared.
 *
 * @throws {UnavailableError} if the service does not have it
 */
export function requireEmbedder(
  deps: Pick<Deps, 'embedder'>,
  { embeddingFingerprint }: OrganizationSettings,
): Embedder {
  const embedder = embedderOf(deps, embeddingFingerprint);
  if (embedder) return embedder;
  throw new UnavailableError(
    `This organization's memories were embedded with ${embeddingFingerprint} and the service is configured for ` +
      `${deps.embedder.fingerprint}: restore the former configuration, or re-embed them with "memory-reembed"`,
    RETRY_AFTER_SECONDS,
  );
}

/**
 * Runs a search with the embedder of the vectors that it compares. If the organization switches to another embedder
 * meanwhile, runs it again with that one.
 *
 * @throws {UnavailableError} if the service does not have the embedder
 */
export async function withSearchedEmbedder<T>(
  deps: EmbedDeps,
  caller: Pick<Caller, 'organizationId' | 'settings'>,
  search: (embedder: Embedder) => Promise<T>,
): Promise<T> {
  const { organizationId } = caller;
  for (let round = 1; ; round += 1) {
    // The caller's settings may be from before the switch.
    const settings = await readSettings(deps, round === 1 ? caller : { organizationId });
    try {
      return await search(requireEmbedder(deps, settings));
    } catch (error) {
      if (!(error instanceof EmbedderReplacedError)) throw error;
      if (round === MAX_ROUNDS) throw new UnavailableError('The embedder is being replaced: try again', 1, error);
    }
  }
}

/**
 * Embeds contents with the embedder that searches use, and while the organization is re-embedded with the pending one
 * too. Pending vectors are left out if their embedder is slow or does not answer: the re-embedding makes them later.
 *
 * @param context contents with regard to which a model for chunks embeds those of the same document
 * @throws {EmbeddingUnavailableError}
 */
export async function embedDocuments(
  deps: EmbedDeps,
  caller: Pick<Caller, 'organizationId' | 'settings'>,
  contents: readonly PlacedContent[],
  context: readonly PlacedContent[] = [],
): Promise<Vectors[]> {
  const settings = await readSettings(deps, caller);
  const { organizationId } = caller;
  const searched = requireEmbedder(deps, settings);
  const { pendingFingerprint } = settings;
  const pending = pendingFingerprint === undefined ? undefined : embedderOf(deps, pendingFingerprint);
  const embedBy = (embedder: Embedder) => embedContents(embedder, contents, { context, tenant: organizationId });
  const pendingVectors = pending && embedBy(pending).catch(ignoreUnavailable);
  // A fault is not lost: it is thrown below, unless the other embedder fails first.
  pendingVectors?.catch(() => {});
  const vectors = await embedBy(searched);
  const others = pendingVectors && (await withinMs(pendingVectors, PENDING_WAIT_MS));
  return vectors.map((vector, at) => {
    const made = new Map([[searched.fingerprint, vector]]);
    const other = others?.[at];
    if (pending && other) made.set(pending.fingerprint, other);
    return made;
  });
}

/** Embeds a content alone; see `embedDocuments`. */
export async function embedDocument(
  deps: EmbedDeps,
  caller: Pick<Caller, 'organizationId' | 'settings'>,
  content: string,
): Promise<Vectors> {
  const [vectors] = await embedDocuments(deps, caller, [{ content }]);
  if (!vectors) throw new Error('the embedder returned no vector');
  return vectors;
}

/** Embeds a query, to be compared with documents. */
export async function embedQuery(embedder: Embedder, organizationId: string, query: string): Promise<Float32Array> {
  const [vector] = await embedder.embed([query], 'query', organizationId);
  if (!vector) throw new Error('the embedder returned no vector');
  return vector;
}

/**
 * Returns the vectors to store, by the embedders that the settings name in the unit. Binds the organization to the
 * embedder of its first vector, and to the version of words.
 *
 * @returns undefined if the organization switched to another embedder after the content was embedded
 * @throws {UnavailableError} if the service does not have that embedder
 */
export async function claimVectors(
  deps: Pick<Deps, 'embedder'>,
  unit: UnitOfWork,
  vectors: Vectors,
): Promise<Pick<Indexed, 'embedding' | 'fingerprint' | 'pending'> | undefined> {
  const settings = await unit.settings();
  const { fingerprint } = requireEmbedder(deps, settings);
  const embedding = vectors.get(fingerprint);
  if (!embedding) return undefined;
  if (settings.embeddingFingerprint === undefined) {
    await unit.saveSettings({ ...settings, embeddingFingerprint: fingerprint, wordsVersion: WORDS_VERSION });
  }
  const { pendingFingerprint } = settings;
  const pending = pendingFingerprint === undefined ? undefined : vectors.get(pendingFingerprint);
  if (pendingFingerprint === undefined || !pending) return { embedding, fingerprint };
  return { embedding, fingerprint, pending: { embedding: pending, fingerprint: pendingFingerprint } };
}

/** Returns undefined if the promise takes longer. */
async function withinMs<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function ignoreUnavailable(error: unknown): undefined {
  if (error instanceof EmbeddingUnavailableError || error instanceof ShareExceededError) return undefined;
  throw error;
}
