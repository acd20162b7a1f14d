import type { Contract } from './contract.js';

/**
 * Compares the document with the routes.
 *
 * @throws an error that names every operation without a route and every route without an operation
 */
export function assertSameOperations(
  { operations }: Pick<Contract, 'operations'>,
  routes: Readonly<Record<string, unknown>>,
): void {
  const documented = new Set<string>(operations.map(({ id }) => id));
  const lacking = Array.from(documented).filter((id) => !Object.hasOwn(routes, id));
  const surplus = Object.keys(routes).filter((id) => !documented.has(id));
  if (lacking.length + surplus.length === 0) return;
  throw new Error(
    `openapi.yaml and the routes differ: operations without a route: ${names(lacking)}; routes without an operation: ${names(surplus)}`,
  );
}

function names(ids: readonly string[]): string {
  return ids.length === 0 ? 'none' : ids.join(', ');
}
