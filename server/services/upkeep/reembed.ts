import type { Deps } from '../../deps.js';
import type { OrganizationSettings } from '../../domain/account/organization.js';
import { placeOf } from '../../domain/documents/chunk.js';
import type { Memory } from '../../domain/memory/memory.js';
import type { Microseconds } from '../../domain/timestamp.js';
import { embedContents, type PlacedContent } from '../memories/embed-contents.js';
import { embedderOf } from '../memories/embedding.js';

/** Memories that are embedded and stored together. */
const PAGE_SIZE = 64;
/** Pages of one call of `goOnReembedding`. */
const MAX_PAGES = 20;
/** Vectors that one unit of work deletes. */
const DELETED_TOGETHER = 200;
/** Delay until a process asks again if the configuration of this one has another embedder than the pending one. */
const OTHER_PROCESS_DELAY_MS = 60_000;

/** An organization whose vectors are not all of the configured embedder alone. */
export interface EmbeddedOtherwise {
  organizationId: string;
  /** The embedder whose vectors searches compare. */
  fingerprint: string;
  /** True if the service has that embedder. If not, it rejects writes and searches by meaning. */
  isServed: boolean;
  /** The embedder that replaces it. Undefined if no re-embedding has begun. */
  pending: string | undefined;
}

type ReembedDeps = Pick<Deps, 'store' | 'embedder'>;

/** Returns the organizations whose searches compare vectors of another embedder than the configured one. */
export async function organizationsEmbeddedOtherwise({ store, embedder }: ReembedDeps): Promise<EmbeddedOtherwise[]> {
  const found = await store.accounts.embeddedOtherwise(embedder.fingerprint);
  return found.flatMap(({ organizationId, settings }) => {
    const { embeddingFingerprint: fingerprint, pendingFingerprint: pending } = settings;
    if (fingerprint === undefined) return [];
    return [{ organizationId, fingerprint, isServed: embedderOf({ embedder }, fingerprint) !== undefined, pending }];
  });
}

/** A re-embedding that has to begin or to go on. */
export interface UnfinishedReembedding {
  organizationId: string;
  /** The embedder whose vectors searches compare. */
  searched: string;
  pending: string | undefined;
  former: string | undefined;
  /** Number of memories, deleted or not. */
  all: number;
  /** Number of those without a vector of the pending embedder. */
  unembedded: number;
}

/** Returns the organizations that are not completely embedded with the configured embedder alone. */
export async function unfinishedReembeddings({ store, embedder }: ReembedDeps): Promise<UnfinishedReembedding[]> {
  const found: UnfinishedReembedding[] = [];
  for (const organizationId of await store.accounts.organizationIds()) {
    const settings = await store.accounts.settings(organizationId);
    const { embeddingFingerprint: searched, pendingFingerprint: pending, formerFingerprint: former } = settings ?? {};
    if (!settings || searched === undefined || (searched === embedder.fingerprint && !isUnfinished(settings))) continue;
    const counts = await store.memories.countUnembedded(organizationId);
    found.push({ organizationId, searched, pending, former, ...counts });
  }
  return found;
}

/** How far an organization is on its way to the configured embedder. */
export interface ReembeddingProgress {
  /** `blocked` if the service does not have the embedder of the vectors that searches compare. */
  state: 'running' | 'blocked';
  /** The embedder whose vectors searches compare. */
  searched: string;
  configured: string;
  /** Number of memories, deleted or not. */
  memories: number;
  /** Number of those with a vector of the configured embedder. */
  embedded: number;
}

/** Returns undefined if searches compare vectors of the configured embedder. */
export async function reembeddingOf(
  { store, embedder }: ReembedDeps,
  organizationId: string,
  { embeddingFingerprint: searched, pendingFingerprint: pending }: OrganizationSettings,
): Promise<ReembeddingProgress | undefined> {
  const configured = embedder.fingerprint;
  if (searched === undefined || searched === configured) return undefined;
  const { all, unembedded } = await store.memories.countUnembedded(organizationId);
  const state = embedderOf({ embedder }, searched) ? 'running' : 'blocked';
  return { state, searched, configured, memories: all, embedded: pending === configured ? all - unembedded : 0 };
}

/**
 * Begins to move every organization to the configured embedder whose former one the service still has, and cancels moves
 * to other ones.
 */
export async function takeConfiguredEmbedder(deps: ReembedDeps): Promise<void> {
  for (const organizationId of await deps.store.accounts.organizationIds()) {
    const settings = await deps.store.accounts.settings(organizationId);
    if (settings && embedderOf(deps, settings.embeddingFingerprint)) await beginReembedding(deps, organizationId);
  }
}

/**
 * Begins to move an organization to the configured embedder, unless it has begun. If the organization is embedded with
 * the configured embedder already, it cancels a move to another one. A job does the work.
 */
export async function beginReembedding({ store, embedder }: ReembedDeps, organizationId: string): Promise<void> {
  const settings = await store.accounts.settings(organizationId);
  if (!settings || !begin(settings, embedder.fingerprint)) return;
  await store.transact(organizationId, async (unit) => {
    const before = await unit.settings();
    const after = begin(before, embedder.fingerprint);
    if (!after) return;
    await unit.saveSettings(after);
    // While a pending or a former embedder is set, there is a job.
    if (!isUnfinished(before)) await unit.enqueue({ name: 'reembed', data: { organizationId } });
  });
}

/** Returns the settings with which the move to an embedder begins. Undefined if nothing changes now. */
function begin(settings: OrganizationSettings, target: string): OrganizationSettings | undefined {
  const { pendingFingerprint: pending, formerFingerprint: former, ...rest } = settings;
  if (settings.embeddingFingerprint === undefined || pending === target) return undefined;
  const isThere = settings.embeddingFingerprint === target;
  if (pending === undefined && isThere) return undefined;
  // Vectors of one embedder are deleted at a time.
  if (pending !== undefined && former !== undefined) return undefined;
  const unwanted = pending ?? former;
  return {
    ...rest,
    ...(!isThere && { pendingFingerprint: target }),
    ...(unwanted !== undefined && unwanted !== target && { formerFingerprint: unwanted }),
  };
}

function isUnfinished({ pendingFingerprint, formerFingerprint }: OrganizationSettings): boolean {
  return pendingFingerprint !== undefined || formerFingerprint !== undefined;
}

/** Called after each page with the time that it took. The next page begins when it resolves. */
export type Pause = (workMs: number) => Promise<void>;

const NO_PAUSE: Pause = () => Promise.resolve();

/** A part of a re-embedding that ended. */
export interface ReembeddingStep {
  /** How many vectors were made. */
  made: number;
  /** Delay before the next call. Undefined if the organization is completely embedded with one embedder. */
  retryAfterMs: number | undefined;
  /** Position for the next call, so that it does not look again at memories that have their vector. */
  after?: Microseconds | undefined;
}

/**
 * Continues a re-embedding by some pages. While it runs, searches compare the former vectors, and writes store both.
 * When every memory has a vector of the configured embedder, also the deleted ones, the organization switches to it in
 * one step, and the former vectors are deleted. Nothing else of a memory changes. It resumes an interrupted run.
 *
 * @param after of the step before; undefined to look at all memories
 * @throws {EmbeddingUnavailableError} with the vectors made so far kept
 */
export async function goOnReembedding(
  deps: ReembedDeps,
  organizationId: string,
  after?: Microseconds,
  pause: Pause = NO_PAUSE,
): Promise<ReembeddingStep> {
  const { store, embedder } = deps;
  const settings = await store.accounts.settings(organizationId);
  if (!settings) return { made: 0, retryAfterMs: undefined };
  // Before new vectors are made, since a memory has at most two.
  if (settings.formerFingerprint !== undefined) {
    const isDone = await deleteFormer(deps, organizationId, pause);
    return { made: 0, retryAfterMs: isDone && settings.pendingFingerprint === undefined ? undefined : 0 };
  }
  if (settings.pendingFingerprint === undefined) return { made: 0, retryAfterMs: undefined };
  if (settings.pendingFingerprint !== embedder.fingerprint) return { made: 0, retryAfterMs: OTHER_PROCESS_DELAY_MS };

  const { made, next } = await embedPages(deps, organizationId, after, pause);
  if (next === undefined) await switchEmbedder(deps, organizationId);
  return { made, retryAfterMs: 0, after: next };
}

/**
 * Moves an organization to the configured embedder, from begin to end.
 *
 * @returns how many vectors were made
 * @throws {EmbeddingUnavailableError} with the vectors made so far kept
 */
export async function reembed(
  deps: ReembedDeps,
  organizationId: string,
  onProgress: (made: number) => void = () => {},
): Promise<number> {
  let made = 0;
  await beginReembedding(deps, organizationId);
  for (let after: Microseconds | undefined; ; ) {
    const step = await goOnReembedding(deps, organizationId, after);
    made += step.made;
    if (step.made > 0) onProgress(made);
    if (step.retryAfterMs === undefined) return made;
    after = step.after;
  }
}

/** Returns how many vectors it made, and where to go on; undefined after the last memory. */
async function embedPages(
  { store, embedder }: ReembedDeps,
  organizationId: string,
  after: Microseconds | undefined,
  pause: Pause,
): Promise<{ made: number; next: Microseconds | undefined }> {
  let [made, next] = [0, after];
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const beganAt = performance.now();
    const page = await store.memories.findUnembedded(organizationId, PAGE_SIZE, next);
    if (page.memories.length > 0) made += await embedPage({ store, embedder }, organizationId, page.memories);
    next = page.next;
    if (next === undefined) break;
    await pause(performance.now() - beganAt);
  }
  return { made, next };
}

/** Returns how many vectors were stored. Memories whose content changed meanwhile are found again. */
async function embedPage(
  { store, embedder }: ReembedDeps,
  organizationId: string,
  page: readonly Memory[],
): Promise<number> {
  const { fingerprint } = embedder;
  const vectors = await embedContents(embedder, page.map(placed));
  return store.transact(organizationId, async (unit) => {
    await unit.expect?.({ ids: page.map(({ id }) => id) });
    let made = 0;
    // Canceled meanwhile.
    if ((await unit.settings()).pendingFingerprint !== fingerprint) return made;
    for (const [at, { id, content }] of page.entries()) {
      const embedding = vectors[at];
      if (!embedding || (await unit.findById(id))?.content !== content) continue;
      await unit.storePending(id, { embedding, fingerprint });
      made += 1;
    }
    return made;
  });
}

/** A deleted memory is no chunk of its document any more. */
function placed(memory: Memory): PlacedContent {
  const { content, deletedAt } = memory;
  return deletedAt === undefined ? { content, ...placeOf(memory) } : { content };
}

/** Makes searches compare the pending vectors, if every memory has one. */
async function switchEmbedder({ store, embedder }: ReembedDeps, organizationId: string): Promise<void> {
  await store.preparePending?.(organizationId);
  await store.transact(organizationId, async (unit) => {
    const { pendingFingerprint, embeddingFingerprint, ...rest } = await unit.settings();
    if (pendingFingerprint !== embedder.fingerprint || embeddingFingerprint === undefined) return;
    if (!(await unit.isPendingComplete())) return;
    await unit.saveSettings({
      ...rest,
      embeddingFingerprint: pendingFingerprint,
      formerFingerprint: embeddingFingerprint,
    });
  });
}

/** Reports if no former vectors are left. */
async function deleteFormer({ store }: ReembedDeps, organizationId: string, pause: Pause): Promise<boolean> {
  for (let units = 0; units < MAX_PAGES; units += 1) {
    const beganAt = performance.now();
    const isMore = await store.transact(organizationId, async (unit) => {
      if ((await unit.deleteFormerVectors(DELETED_TOGETHER)) > 0) return true;
      const { formerFingerprint: _, ...settings } = await unit.settings();
      await unit.saveSettings(settings);
      return false;
    });
    if (!isMore) return true;
    await pause(performance.now() - beganAt);
  }
  return false;
}
