import type { Contract } from '../transport/contract.js';
import type { Coverage } from './outcome.js';

/**
 * Holds the answers of a run against the contract.
 *
 * @param seen `operationId status` of every answer
 */
export function measureCoverage({ operations }: Contract, seen: ReadonlySet<string>): Coverage {
  const measured = operations.map(({ operationId, statuses }) => ({
    operationId,
    seen: statuses.filter((status) => seen.has(`${operationId} ${status}`)),
    unseen: statuses.filter((status) => !seen.has(`${operationId} ${status}`)),
  }));
  const count = (of: 'seen' | 'unseen') => measured.reduce((sum, operation) => sum + operation[of].length, 0);
  return { operations: measured, seen: count('seen'), documented: count('seen') + count('unseen') };
}
