import type { Filter, MemoryClient } from '@memory-service/sdk';
import { EXIT } from '../exit-codes.js';
import { CommandError } from './output/explain-error.js';
import { Progress } from './output/progress.js';

interface RemoveOptions {
  /** True if the user confirmed it. */
  yes: boolean;
  /** True to show progress. */
  isWatched: boolean;
}

/**
 * Deletes all memories that a filter matches, guarded by their current count. Returns how many were deleted.
 *
 * @throws {CommandError} if the user did not confirm; nothing was deleted
 */
export async function removeMatching(
  client: Pick<MemoryClient, 'stats' | 'deleteMany'>,
  filter: Filter,
  { yes, isWatched }: RemoveOptions,
): Promise<number> {
  const { filtered } = (await client.stats({ filter })).meta;
  if (filtered === 0) return 0;
  if (!yes) {
    const match =
      filtered === 1
        ? '1 memory matches: add --yes to delete it'
        : `${filtered} memories match: add --yes to delete them`;
    throw new CommandError(match, { exit: EXIT.usage });
  }
  using progress = new Progress('memories', filtered, isWatched);
  let deleted = 0;
  for (let left = filtered; left > 0; ) {
    const answer = await client.deleteMany({ filter, expectedCount: left });
    deleted += answer.deleted;
    left = answer.remaining;
    progress.at(filtered - left);
  }
  return deleted;
}
