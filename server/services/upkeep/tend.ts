import type { Deps } from '../../deps.js';
import { SETTLED_INVITATION_KEPT_US } from '../../domain/account/invitation.js';
import { ENDED_SIGN_IN_KEPT_US } from '../../domain/account/session.js';
import { DAYS_KEPT, lastDays } from '../../domain/billing/usage-day.js';
import { expireDue } from '../memories/expire.js';
import { goOnRemoving } from '../organization/deletion.js';
import { purgeOutdated } from '../removal/purge.js';

/** Time after which the job of a deletion may have been given up. */
const LEFT_TO_JOB_US = 60 * 60 * 1_000_000;

/** Ended sessions, sign-in links and invitations that one step deletes of each: few, so that writes wait a short time. */
const MAX_ENDED_PER_STEP = 100;
/** Steps of one turn. The next turn deletes what is left, so that the rest of the upkeep waits a short time. */
const MAX_ENDED_STEPS = 10;

type TendDeps = Pick<Deps, 'store' | 'now' | 'newId' | 'logger'>;

/**
 * Does the upkeep of all organizations: expires memories, purges those that were deleted long ago, and continues old
 * deletions of organizations. Removes the counts of days long ago, ended sessions and sign-in links, and invitations that
 * were accepted or revoked.
 *
 * @param stopping ends it after the current step
 */
export async function tendAll(deps: TendDeps, stopping?: AbortSignal): Promise<void> {
  await deps.store.usage.forgetDaysBefore(lastDays(deps.now(), DAYS_KEPT)[0] ?? '');
  for (const organizationId of await deps.store.accounts.organizationsToTend(deps.now())) {
    await expireDue(deps, { organizationId }, stopping);
    await purgeOutdated(deps, organizationId, stopping);
  }
  const { accounts } = deps.store;
  const endedBefore = deps.now() - ENDED_SIGN_IN_KEPT_US;
  await inSteps(() => accounts.deleteEndedSignIns(endedBefore, MAX_ENDED_PER_STEP), stopping);
  const settledBefore = deps.now() - SETTLED_INVITATION_KEPT_US;
  await inSteps(() => accounts.deleteSettledInvitations(settledBefore, MAX_ENDED_PER_STEP), stopping);
  await goOnDeleting(deps, stopping);
}

/** Repeats a step until it reports that nothing is left, or the turn is over. */
async function inSteps(step: () => Promise<boolean>, stopping: AbortSignal | undefined): Promise<void> {
  for (let steps = 0; steps < MAX_ENDED_STEPS && !stopping?.aborted; steps += 1) {
    if (!(await step())) return;
  }
}

async function goOnDeleting(deps: TendDeps, stopping: AbortSignal | undefined): Promise<void> {
  for (const { organizationId, deletedAt } of await deps.store.deletions.list()) {
    if (deps.now() - deletedAt < LEFT_TO_JOB_US) continue;
    while (!stopping?.aborted && (await goOnRemoving(deps, organizationId))?.retryAfterMs === 0);
  }
}
