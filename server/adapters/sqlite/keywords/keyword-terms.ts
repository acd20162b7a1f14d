/**
 * Returns a word in the form that the index stores. It includes the
 * organization, so that a lookup reads only memories of one organization, and
 * the rarity of a word does not depend on other organizations.
 */
export function indexedTerm(org: number, term: string): string {
  return `${org}_${term}`;
}
