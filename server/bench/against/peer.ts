/** A memory with its vector, in the form that every peer gets. */
export interface PeerItem {
  id: string;
  content: string;
  kind: string;
  vector: readonly number[];
}

export interface PeerQuery {
  vector: readonly number[];
  limit: number;
  /** The kind that results must have. */
  kind?: string | undefined;
}

/** Another service or library that stores texts with vectors, behind HTTP on this machine. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  /** Starts the process on its stored data. Resolves when it answers. */
  start(): Promise<void>;
  stop(): Promise<void>;
  add(items: readonly PeerItem[]): Promise<void>;
  /** Returns the ids of the results, best first. The answer over HTTP contains the contents too. */
  search(query: PeerQuery): Promise<string[]>;
  /** Makes searches read more candidates. Returns the new setting; undefined if there is no more, or none. */
  widen(): Promise<string | undefined>;
}
