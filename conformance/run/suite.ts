import { afterAll, describe, inject, test } from 'vitest';
import type { Check } from '../checks/check.js';
import { overNetwork } from '../transport/http.js';
import { MissingCapabilityError, PrerequisiteError } from '../transport/prerequisite.js';
import { toProfile } from '../world/profile.js';
import { selectChecks } from './catalogue.js';
import { CleanUp } from './clean-up.js';
import './suite-meta.js';
import { Target } from '../world/target.js';

const options = inject('conformance');
const without = new Set(options.without);
const target = new Target({
  transport: overNetwork(options.baseUrl),
  token: options.token,
  secondToken: options.secondToken,
  profile: toProfile(options.checked),
  without,
  ownTokens: without.has('management') ? 0 : options.tokens,
});
const cleanUp = new CleanUp(target);
const checks = selectChecks(options);
/** The checks in progress. After a signal, vitest no longer waits for them. */
const running = new Set<Promise<void>>();

function isOfPeople({ needs = [] }: Check): boolean {
  return needs.includes('people');
}

function isFree(check: Check): boolean {
  return !check.isAlone && !isOfPeople(check);
}

function waitsForDeliveries({ needs = [] }: Check): boolean {
  return needs.includes('outbound-webhooks');
}

function define(check: Check): void {
  test(check.id, async ({ task, skip }) => {
    const { id, section, level, requirement, needs = [] } = check;
    task.meta.conformance = { id, section, level, requirement, needs };
    const lacking = needs.find((capability) => without.has(capability));
    if (lacking) return skip(`declared --without ${lacking}`);
    if (check.isAlone) await cleanUp.idle();
    const work = target.ledger.record(
      () => check.run(target),
      (written) => {
        if (!options.keep) cleanUp.take(written);
      },
    );
    running.add(work);
    try {
      await work;
    } catch (error) {
      task.meta.blocked = error instanceof PrerequisiteError;
      task.meta.lacking = error instanceof MissingCapabilityError;
      throw error;
    } finally {
      running.delete(work);
    }
  });
}

let settled: Promise<string[]> | undefined;

/** Removes everything that the run created, once. @returns messages about failures */
function settle(): Promise<string[]> {
  settled ??= giveBack();
  return settled;
}

async function giveBack(): Promise<string[]> {
  await Promise.allSettled(running);
  const troubles = options.keep ? [] : await deleteMemories();
  return [...troubles, ...(await target.release())];
}

async function deleteMemories(): Promise<string[]> {
  const { second, people } = target.profile.tokens;
  await target.ledger.share(() => target.senders.collect());
  return cleanUp.finish([...new Set([undefined, options.secondToken ?? second, people])]);
}

describe.concurrent('checks', () => {
  // They share people, so they run one after another.
  describe.sequential('of people', () => {
    for (const check of checks) if (!check.isAlone && isOfPeople(check)) define(check);
  });

  // Those that wait for deliveries take longest.
  for (const waits of [true, false]) {
    for (const check of checks) if (isFree(check) && waitsForDeliveries(check) === waits) define(check);
  }
});

describe('checks that others would disturb', () => {
  for (const check of checks) if (check.isAlone) define(check);
});

test('clean-up', async ({ task }) => {
  task.meta.seen = [...target.http.seen];
  task.meta.troubles = await settle();
});

// If the run was interrupted, the clean-up above is skipped.
afterAll(settle);
