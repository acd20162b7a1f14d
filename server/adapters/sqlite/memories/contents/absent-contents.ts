/** Contents that a read remembers until their unit of work looks for them. More wait only if units are rejected. */
const MAX_KEPT = 1_000;

/**
 * Contents that no active memory has: what a request read before its unit of work, so that the unit need not look for them
 * again. A write of a memory removes its content, also if it is rolled back later.
 */
export class AbsentContents {
  readonly #keys = new Set<string>();

  /** Adds a content that was not found in the state that the next unit of work sees, in any chunk. */
  add(org: number, subject: string, contentHash: string): void {
    if (this.#keys.size >= MAX_KEPT) this.#keys.clear();
    this.#keys.add(keyOf(org, subject, contentHash));
  }

  has(org: number, subject: string, contentHash: string): boolean {
    return this.#keys.size > 0 && this.#keys.has(keyOf(org, subject, contentHash));
  }

  /** Called before a memory with a new content is inserted. */
  remove(org: number, subject: string, contentHash: string): void {
    this.#keys.delete(keyOf(org, subject, contentHash));
  }

  /** Called before a memory changes, which may become active with any content. */
  clear(): void {
    this.#keys.clear();
  }
}

function keyOf(org: number, subject: string, contentHash: string): string {
  return `${org} ${contentHash} ${subject}`;
}
