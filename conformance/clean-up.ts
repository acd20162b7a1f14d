import { TAG, type Target } from './target.js';

/**
 * Deletes every memory that carries the tag of the run, in the organizations of these tokens.
 *
 * @returns what could not be deleted, in words
 */
export async function cleanUp(target: Target, tokens: readonly string[]): Promise<string[]> {
  const left: string[] = [];
  for (const id of target.discarded) await target.delete(id);
  for (const token of tokens) {
    const filter = { match: { [TAG]: target.runId } };
    const pages = await target.pages('export', { filter, limit: 500 }, { token });
    const ids = pages.flatMap((page) => page.ids);
    // Within the limits of the specification this may take longer than all the checks.
    console.log(`cleaning up: ${ids.length} memories`);
    for (const id of ids) {
      const { status } = await target.delete(id, { token });
      if (status !== 204 && status !== 404) left.push(`memory ${id} could not be deleted (${status})`);
    }
  }
  return left;
}
