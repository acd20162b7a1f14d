import { setTimeout as wait } from 'node:timers/promises';
import { type Collection, type Document, MongoServerError } from 'mongodb';
import { StoreOpenError } from '../../../ports/store-errors.js';

/** Code of the error for an index whose name is taken. */
const INDEX_EXISTS = 68;
const POLL_MS = 500;

/** The used fields of an index in `listSearchIndexes`. */
export interface Listed {
  name: string;
  /** True if it answers queries, maybe with an earlier definition. */
  queryable?: boolean;
  status?: string;
  latestDefinition?: Document;
  latestDefinitionVersion?: { version: number };
  /** Status on each host of the index. */
  statusDetail?: readonly { mainIndex?: { definitionVersion?: { version: number } } }[];
}

/** Returns the search indexes of a collection, of both types. */
export async function listSearchIndexes(memories: Pick<Collection, 'listSearchIndexes'>): Promise<Listed[]> {
  return memories.listSearchIndexes().toArray();
}

/** A search index to create, or to update if its definition is an earlier one. */
interface Wanted {
  name: string;
  type: 'vectorSearch' | 'search';
  definition: Document;
  /** Returns the definition that replaces the one of the deployment; undefined if that one may stay. */
  replacing: (latest: Document | undefined) => Document | undefined;
  /** Begins the error if the deployment rejects the index: says what to do. */
  refusal: string;
}

/**
 * Creates a search index, or updates an earlier definition. Does not wait until it is built; meanwhile the earlier
 * definition answers, if the deployment keeps it.
 *
 * @returns what was done
 * @throws {StoreOpenError} when the deployment rejects the index
 */
export async function makeSearchIndex(
  memories: Collection,
  { name, type, definition, replacing, refusal }: Wanted,
): Promise<'made' | 'updated' | 'kept'> {
  try {
    const known = (await listSearchIndexes(memories)).find((index) => index.name === name);
    if (!known) {
      await memories.createSearchIndex({ name, type, definition });
      return 'made';
    }
    const replacement = replacing(known.latestDefinition);
    if (!replacement) return 'kept';
    await memories.updateSearchIndex(name, replacement);
    return 'updated';
  } catch (error) {
    // Another process may be running the setup too.
    if (error instanceof MongoServerError && error.code === INDEX_EXISTS) return 'kept';
    const reason = error instanceof MongoServerError ? ` (${error.message})` : '';
    throw new StoreOpenError(`${refusal}${reason}`, { cause: error });
  }
}

/** Waits until the index is built. @throws {StoreOpenError} when building fails or takes too long */
export async function untilBuilt(memories: Collection, name: string, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const index = (await listSearchIndexes(memories)).find((each) => each.name === name);
    if (index && isBuilt(index)) return;
    if (index?.status === 'FAILED') {
      throw new StoreOpenError(
        `The search index ${name} could not be built: see the reason in the status of the index`,
      );
    }
    if (performance.now() >= until) {
      throw new StoreOpenError(`The search index ${name} is still being built: wait, and run the command again`);
    }
    await wait(POLL_MS);
  }
}

/** Reports if the latest definition is built. Atlas answers with the earlier one until then. */
function isBuilt({ queryable, status = 'READY', latestDefinitionVersion, statusDetail = [] }: Listed): boolean {
  const latest = latestDefinitionVersion?.version ?? 0;
  const isLatest = statusDetail.every(({ mainIndex }) => (mainIndex?.definitionVersion?.version ?? latest) >= latest);
  return queryable === true && status !== 'BUILDING' && status !== 'PENDING' && isLatest;
}

/** Reports if a found part of a definition has everything that is wanted, apart from additions of an operator. */
export function has(found: Document, wanted: Document): boolean {
  return Object.entries(wanted).every(([key, value]) =>
    typeof value === 'object' ? has(found[key] ?? {}, value) : found[key] === value,
  );
}
