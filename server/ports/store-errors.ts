/** A write broke a unique index. Services translate it into a response. */
export class DuplicateMemoryError extends Error {
  override name = 'DuplicateMemoryError';
}

/** The organization of a unit of work does not exist, or was deleted. */
export class OrganizationGoneError extends Error {
  override name = 'OrganizationGoneError';

  constructor(organizationId: string) {
    super(`There is no organization ${organizationId}`);
  }
}

/** The vectors of another embedder are searched now. The search must embed its query again. */
export class EmbedderReplacedError extends Error {
  override name = 'EmbedderReplacedError';
}

/** Nothing was stored and a retry may succeed: the disk is full, or the store is busy or unreachable. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
}

/** A search index lags too far behind, or cannot be searched, and too many memories match to compare them one by one. */
export class SearchUnavailableError extends StoreUnavailableError {
  override name = 'SearchUnavailableError';

  constructor() {
    super('Search is unavailable until the search index includes all memories: try again later');
  }
}

/** The disk is full. */
export class StoreFullError extends StoreUnavailableError {
  override name = 'StoreFullError';

  constructor(options?: ErrorOptions) {
    super('The store is unavailable: the disk is full', options);
  }
}

/** The stored data is damaged. The store rejects writes until the operator does what the message says. */
export class StoreDamagedError extends Error {
  override name = 'StoreDamagedError';
}

/** The store cannot be opened until the operator does what the message says. */
export class StoreOpenError extends Error {
  override name = 'StoreOpenError';
}

/** Another process has opened the store, which allows only one. */
export class StoreInUseError extends StoreOpenError {
  override name = 'StoreInUseError';
}
