import type { ListNamespacesOperation, MatchCondition } from '@langchain/langgraph-checkpoint';

/** Selects, shortens, sorts and pages namespaces as an operation asks. */
export function selectNamespaces(
  namespaces: readonly (readonly string[])[],
  { matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation,
): string[][] {
  const selected = namespaces
    .filter((namespace) => matchConditions.every((condition) => isMatch(condition, namespace)))
    .map((namespace) => namespace.slice(0, maxDepth));
  const distinct = new Map(selected.map((namespace) => [JSON.stringify(namespace), namespace]));
  return [...distinct.values()].sort(byLabels).slice(offset, offset + limit);
}

/** Returns the labels with which every selected namespace begins. */
export function commonPrefix({ matchConditions = [] }: ListNamespacesOperation): string[] {
  const prefixes = matchConditions.filter(({ matchType }) => matchType === 'prefix').map(({ path }) => path);
  const [longest = []] = prefixes.map(withoutWildcards).sort((one, other) => other.length - one.length);
  return longest;
}

function withoutWildcards(path: readonly string[]): string[] {
  const at = path.indexOf('*');
  return path.slice(0, at < 0 ? path.length : at);
}

function isMatch({ matchType, path }: MatchCondition, namespace: readonly string[]): boolean {
  if (path.length > namespace.length) return false;
  const from = matchType === 'prefix' ? 0 : namespace.length - path.length;
  return path.every((label, index) => label === '*' || label === namespace[from + index]);
}

function byLabels(one: readonly string[], other: readonly string[]): number {
  return one.join(':').localeCompare(other.join(':'));
}
