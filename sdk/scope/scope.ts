import type { Metadata, Scalar, Scope, SubjectKey } from '../generated/types.gen.js';
import type { Filter } from '../transport/requests.js';

/** The values that all memories of a scoped client have. At least one is required. */
export interface MemoryScope {
  /** The subject of the memories, such as the id of a user. */
  readonly subjectKey?: SubjectKey;
  /** The metadata key `agentId`. */
  readonly agentId?: string;
  /** The metadata key `source`. */
  readonly source?: string;
  /** The metadata key `surface`. */
  readonly surface?: string;
  /** The metadata key `project`. It is also the `scope.project` of external keys. */
  readonly project?: string;
  /** The metadata key `kind`. */
  readonly kind?: string;
  /** Other metadata keys. */
  readonly metadata?: Readonly<Record<string, Scalar>>;
}

type Named = Exclude<keyof MemoryScope, 'subjectKey' | 'metadata'>;

/** The metadata keys of a scope, with their values. */
export type BoundMetadata<Bound> = Pick<Bound, keyof Bound & Named> &
  (Bound extends { metadata: infer More } ? More : unknown);

/** A memory that has the values of a scope. */
export type InScope<Read, Bound> = Read & { metadata: BoundMetadata<Bound> } & (Bound extends {
    subjectKey: infer Subject;
  }
    ? { subjectKey: Subject }
    : unknown);

/** A write. It leaves out the values of the scope, or repeats them. */
export type Unbound<Write, Bound> = Omit<Write, 'metadata' | 'subjectKey'> & {
  metadata?: (Metadata & Partial<BoundMetadata<Bound>>) | undefined;
  subjectKey?: (Bound extends { subjectKey: infer Subject } ? Subject : SubjectKey) | undefined;
};

/** A query. Its filter leaves out the values of the scope. */
export type Filtered<Query, Bound> = Omit<Query, 'filter'> & {
  filter?: Omit<Filter, keyof Bound> | undefined;
};

/** A value of a scope is missing, or a request contradicts it. Nothing was sent. */
export class ScopeError extends TypeError {
  override name = 'ScopeError';
}

interface Write {
  metadata?: Metadata | undefined;
  subjectKey?: SubjectKey | undefined;
  externalKey?: string | undefined;
  scope?: Scope | undefined;
}

const NAMED: readonly string[] = ['agentId', 'source', 'surface', 'project', 'kind'] satisfies Named[];
/** Names that mean something else in filters and on memories. */
const NOT_METADATA = ['subjectKey', 'externalKey'];

/** Adds the values of a scope to requests, and compares them with memories. */
export class Binding {
  readonly #subjectKey: SubjectKey | undefined;
  readonly #metadata: Readonly<Record<string, Scalar>>;
  /** The scope of external keys: equal keys of two subjects or projects name two memories. Bound tools use the same. */
  readonly #keyScope: Scope;

  /** @throws {ScopeError} if there is no value, or one is missing, such as the id of a person who is not signed in */
  constructor({ metadata = {}, ...scope }: MemoryScope) {
    for (const [key, value] of Object.entries(scope)) assertBindable(key, value);
    for (const [key, value] of Object.entries(metadata)) {
      const isFree = !NOT_METADATA.includes(key) && !Object.hasOwn(scope, key);
      if (!isFree || !isScalar(value)) throw new ScopeError(`metadata.${key} of a scope cannot be bound`);
    }
    const { subjectKey, ...named } = scope;
    // The service compares subject keys in this form.
    this.#subjectKey = typeof subjectKey === 'string' ? subjectKey.normalize('NFC') : subjectKey;
    this.#metadata = { ...named, ...metadata };
    if (subjectKey === undefined && Object.keys(this.#metadata).length === 0) {
      throw new ScopeError('a scope needs a value, such as subjectKey');
    }
    const { project } = named;
    this.#keyScope = {
      ...(subjectKey !== undefined && { source: `subject:${this.#subjectKey}` }),
      ...(project !== undefined && { project }),
    };
  }

  /** Headers by which the service keeps writes from merging with memories of another subject or project. */
  get headers(): Record<string, string> {
    const { project } = this.#keyScope;
    return {
      ...(this.#subjectKey !== undefined && { 'X-Memory-Subject-Key': encodeURIComponent(this.#subjectKey) }),
      ...(project !== undefined && { 'X-Memory-Project': encodeURIComponent(project) }),
    };
  }

  /** Adds the values to a new memory. @throws {ScopeError} if it has another value */
  write<Item extends Write>(item: Item): Item {
    this.change(item);
    const bound = { ...item, ...this.#subject, ...this.#bind('metadata', item.metadata) };
    if (item.externalKey === undefined) return bound;
    this.#assertEqual('scope', { ...item.scope }, this.#keyScope);
    return { ...bound, scope: { ...item.scope, ...this.#keyScope } };
  }

  /** Adds the values to metadata that replaces all. @throws {ScopeError} if the change has another value */
  change<Change extends Pick<Write, 'metadata' | 'subjectKey'> & { metadataReplace?: unknown }>(
    change: Change,
  ): Change {
    const { metadata, subjectKey } = change;
    this.#assertSubject(subjectKey, 'subjectKey');
    this.#assertEqual('metadata', { ...metadata }, this.#metadata);
    return change.metadataReplace && metadata ? { ...change, ...this.#bind('metadata', metadata) } : change;
  }

  /** Adds the values to the filter of a query. @throws {ScopeError} if the filter has another value */
  query<Query extends { filter?: Filter | undefined }>(query: Query): Query & { filter: Filter } {
    const { filter = {} } = query;
    const { match, where: _, subjectKey, ...named } = filter;
    this.#assertSubject(subjectKey, 'filter.subjectKey');
    this.#assertEqual('filter', named, this.#metadata);
    this.#assertEqual('filter.match', { ...match }, this.#metadata);
    return { ...query, filter: { ...filter, ...this.#subject, ...this.#bind('match', match) } };
  }

  /** Reports if a memory has all values. */
  holds({ subjectKey, metadata }: { subjectKey?: SubjectKey; metadata: Metadata }): boolean {
    if (this.#subjectKey !== undefined && subjectKey !== this.#subjectKey) return false;
    return Object.entries(this.#metadata).every(
      ([key, value]) => Object.hasOwn(metadata, key) && metadata[key] === value,
    );
  }

  get #subject(): { subjectKey?: SubjectKey } {
    return this.#subjectKey === undefined ? {} : { subjectKey: this.#subjectKey };
  }

  /** Returns the member `name` with the metadata of the scope, or nothing if there is none. */
  #bind(name: 'metadata' | 'match', given: Metadata | undefined): object {
    const values = { ...given, ...this.#metadata };
    return Object.keys(values).length === 0 ? {} : { [name]: values };
  }

  #assertSubject(given: SubjectKey | undefined, path: string): void {
    const isOther =
      typeof given === 'string' ? given.normalize('NFC') !== this.#subjectKey : given !== this.#subjectKey;
    if (given !== undefined && this.#subjectKey !== undefined && isOther) throw contradiction(path);
  }

  #assertEqual(path: string, given: object, bound: object): void {
    for (const [key, value] of Object.entries(given)) {
      const isOther = value !== undefined && Object.hasOwn(bound, key) && value !== Reflect.get(bound, key);
      if (isOther) throw contradiction(`${path}.${key}`);
    }
  }
}

function assertBindable(key: string, value: unknown): void {
  const isText = typeof value === 'string' && value !== '';
  if (isText ? key === 'subjectKey' || NAMED.includes(key) : key === 'subjectKey' && Number.isSafeInteger(value))
    return;
  throw new ScopeError(`${key} of a scope is missing, or cannot be bound`);
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}

function contradiction(path: string): ScopeError {
  return new ScopeError(`${path} contradicts the scope of this client`);
}
