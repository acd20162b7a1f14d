/** The tokens under which a request may be sent. Limits count for each of them apart. */
export interface Credentials {
  /** In the order in which they are used up. */
  readonly tokens: readonly string[];
  /** The person that they belong to, if known. A deployment may limit all tokens of a person together. */
  readonly owner?: string | undefined;
  /** Reports if more tokens can be added. */
  readonly canGrow: boolean;
  /** How many requests of a class a token leaves to others. */
  leaves(token: string, limitClass: string, limit: number): number;
  /** Adds a token, or finds that there can be no more. */
  grow(): Promise<void>;
}

/** One token, and no other. */
export function only(token: string, owner?: string): Credentials {
  return { tokens: [token], owner, canGrow: false, leaves: () => 0, grow: async () => {} };
}
