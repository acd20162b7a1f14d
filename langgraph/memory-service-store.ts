import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
  validateNamespace,
} from '@langchain/langgraph-checkpoint';
import {
  ConflictError,
  type Filter,
  type Memory,
  type MemoryClient,
  NotFoundError,
  type SubjectKey,
} from '@memory-service/sdk';
import { SEARCH_LIMIT } from '@memory-service/sdk/constants';
import { searchFilter } from './filter.js';
import { idOf, isFieldKey, toItem, toMemory } from './item.js';
import { commonPrefix, selectNamespaces } from './namespaces.js';
import { StoreLimitError } from './store-limit-error.js';

export { StoreLimitError } from './store-limit-error.js';

export interface MemoryServiceStoreOptions {
  /** The metadata key `source` of all items. Stores with different sources do not see each other. Default: `langgraph`. */
  readonly source?: string | undefined;
  /**
   * Whom the items are about. A value binds the whole store to that subject. A function chooses the subject of each new
   * item by its namespace, so that everything about a person can be erased. Default: nobody.
   */
  readonly subjectKey?: SubjectKey | ((namespace: readonly string[]) => SubjectKey | undefined) | undefined;
  /** Paths of the fields by which items are found, unless a `put` has its own. Default: `['$']`, the whole value. */
  readonly fields?: readonly string[] | undefined;
}

/** The requests that a batch has in flight at the same time. */
const MAX_PARALLEL = 8;
const PAGE_LIMIT = 500;

/**
 * Long-term memory of LangGraph in the memory service. Each item is one memory: its namespace and key are metadata and
 * the external key, its value is JSON in the metadata, and its indexed fields are the content.
 *
 * Operations throw the errors of the client, and a `StoreLimitError` for what the service cannot do.
 */
export class MemoryServiceStore extends BaseStore {
  readonly #client: MemoryClient;
  readonly #source: string;
  readonly #subjectKey: MemoryServiceStoreOptions['subjectKey'];
  readonly #fields: readonly string[];

  constructor(client: MemoryClient, options: MemoryServiceStoreOptions = {}) {
    super();
    this.#client = client;
    this.#source = options.source ?? 'langgraph';
    this.#subjectKey = options.subjectKey;
    this.#fields = options.fields ?? ['$'];
  }

  /** Runs the reads of a batch, then its writes. Of several writes of an item, the last one counts. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    for (const operation of operations) assertNamespace(operation);
    const results = await inParallel(operations, (operation) => (isPut(operation) ? undefined : this.#read(operation)));
    const puts = operations.filter(isPut);
    const last = new Map(puts.map((put) => [JSON.stringify([put.namespace, put.key]), put]));
    await inParallel([...last.values()], (put) => this.#write(put));
    return results as OperationResults<Op>;
  }

  #read(operation: Exclude<Operation, PutOperation>): Promise<Item | null | SearchItem[] | string[][]> {
    if ('key' in operation) return this.#get(operation);
    return 'namespacePrefix' in operation ? this.#search(operation) : this.#listNamespaces(operation);
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    const memory = await this.#find(await this.#idOf(namespace, key));
    return (memory && toItem(memory)) ?? null;
  }

  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix, limit = 10, offset = 0, query = '' } = operation;
    const filter = searchFilter(this.#filter, namespacePrefix, operation.filter);
    if (filter === undefined || limit <= 0) return [];
    if (query.trim() === '') return this.#list(filter, offset, limit);
    if (offset + limit > SEARCH_LIMIT.maximum) {
      throw new StoreLimitError(`a search with a query finds at most ${SEARCH_LIMIT.maximum} items, offset included`);
    }
    const indexed = { ...filter, match: { ...filter.match, indexed: true } };
    const { results } = await this.#client.search({ query, limit: offset + limit, filter: indexed });
    return results.slice(offset).flatMap((result) => {
      const item = toItem(result);
      return item ? [{ ...item, score: result.score }] : [];
    });
  }

  /** Lists items in the order of their creation. */
  async #list(filter: Filter, offset: number, limit: number): Promise<SearchItem[]> {
    const items: SearchItem[] = [];
    const pageLimit = Math.min(PAGE_LIMIT, offset + limit);
    for await (const memory of this.#client.export({ filter, limit: pageLimit })) {
      const item = toItem(memory);
      if (item) items.push({ ...item, score: undefined });
      if (items.length === offset + limit) break;
    }
    return items.slice(offset);
  }

  async #listNamespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const filter = searchFilter(this.#filter, commonPrefix(operation));
    const namespaces: string[][] = [];
    for await (const memory of this.#client.export({ filter, limit: PAGE_LIMIT })) {
      const item = toItem(memory);
      if (item) namespaces.push(item.namespace);
    }
    return selectNamespaces(namespaces, operation);
  }

  async #write({ namespace, key, value, index }: PutOperation): Promise<void> {
    const id = await this.#idOf(namespace, key);
    if (value === null) return this.#delete(id);
    const subjectKey = typeof this.#subjectKey === 'function' ? this.#subjectKey(namespace) : this.#subjectKey;
    const stored = toMemory({ namespace, key, value }, index ?? this.#fields);
    const metadata = { ...stored.metadata, source: this.#source };
    const written = await this.#client.upsert({
      externalKey: id,
      scope: { source: this.#source },
      subjectKey,
      ...stored,
      metadata,
      // Items with equal values are different items, and a deleted item keeps its key.
      dedupe: 'off',
      restoreDeleted: true,
    });
    // Merging keeps the fields that the former value had.
    const isStale = Object.keys(written.metadata).some((name) => isFieldKey(name) && !Object.hasOwn(metadata, name));
    if (isStale) await this.#client.update(written.id, { metadata, metadataReplace: true });
  }

  async #delete(id: string): Promise<void> {
    const memory = await this.#find(id);
    if (memory) await this.#client.delete(memory.id).catch(ignoreOtherWriter);
  }

  async #find(id: string): Promise<Memory | undefined> {
    const { results } = await this.#client.recent({
      limit: 1,
      filter: { ...this.#filter, match: { externalKey: id } },
    });
    return results[0];
  }

  #idOf(namespace: readonly string[], key: string): Promise<string> {
    return idOf(this.#bound, namespace, key);
  }

  /** The subject to which the whole store is bound. */
  get #bound(): SubjectKey | undefined {
    return typeof this.#subjectKey === 'function' ? undefined : this.#subjectKey;
  }

  get #filter(): Filter {
    return { source: this.#source, ...(this.#bound !== undefined && { subjectKey: this.#bound }) };
  }
}

function isPut(operation: Operation): operation is PutOperation {
  return 'value' in operation;
}

/** @throws {InvalidNamespaceError} */
function assertNamespace(operation: Operation): void {
  const options = { allowReservedRoot: true };
  if ('namespace' in operation) validateNamespace(operation.namespace, { ...options, allowEmpty: !isPut(operation) });
  if ('namespacePrefix' in operation) validateNamespace(operation.namespacePrefix, { ...options, allowEmpty: true });
}

/** Ignores that another writer deleted the memory in between. */
function ignoreOtherWriter(error: unknown): void {
  if (!(error instanceof NotFoundError) && !(error instanceof ConflictError)) throw error;
}

/** Runs work for each item, some at the same time. Resolves to the results in order. */
async function inParallel<Each, Result>(
  items: readonly Each[],
  work: (item: Each) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += MAX_PARALLEL) {
    results.push(...(await Promise.all(items.slice(from, from + MAX_PARALLEL).map(work))));
  }
  return results;
}
