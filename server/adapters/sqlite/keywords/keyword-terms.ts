/**
 * A word as the index stores it. The organization is part of it, so that a
 * lookup walks the memories of one organization only and counts how rare a
 * word is there, whatever others have stored.
 */
export function indexedTerm(org: number, term: string): string {
  return `${org}_${term}`;
}
