import { afterAll, describe, inject, test } from 'vitest';
import { selectChecks } from './catalogue.js';
import { type Check, PrerequisiteError } from './check.js';
import { CleanUp } from './clean-up.js';
import { overNetwork } from './http.js';
import { toProfile } from './profile.js';
import './suite-meta.js';
import { Target } from './target.js';

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

function isOfPeople({ needs = [] }: Check): boolean {
  return needs.includes('people');
}

function define(check: Check): void {
  test(check.id, async ({ task, skip }) => {
    const { id, section, level, requirement } = check;
    task.meta.conformance = { id, section, level, requirement };
    const lacking = check.needs?.find((capability) => without.has(capability));
    if (lacking) return skip(`declared --without ${lacking}`);
    try {
      await target.ledger.record(
        () => check.run(target),
        (written) => {
          if (!options.keep) cleanUp.take(written);
        },
      );
    } catch (error) {
      task.meta.blocked = error instanceof PrerequisiteError;
      throw error;
    }
  });
}

let settled: Promise<string[]> | undefined;

/** Gives back everything that the run made, once. @returns what could not be, in words */
function settle(): Promise<string[]> {
  settled ??= giveBack();
  return settled;
}

async function giveBack(): Promise<string[]> {
  const troubles = options.keep ? [] : await deleteMemories();
  return [...troubles, ...(await target.release())];
}

async function deleteMemories(): Promise<string[]> {
  const { second, people } = target.profile.tokens;
  await target.ledger.share(() => target.senders.collect());
  return cleanUp.finish([...new Set([undefined, options.secondToken ?? second, people])]);
}

describe.concurrent('checks', () => {
  for (const check of checks) if (!check.isAlone && !isOfPeople(check)) define(check);

  // They share people, and what one of them does to somebody the next one must find.
  describe.sequential('checks of people', () => {
    for (const check of checks) if (isOfPeople(check)) define(check);
  });
});

describe('checks that others would disturb', () => {
  for (const check of checks) if (check.isAlone) define(check);
});

test('clean-up', async ({ task }) => {
  task.meta.seen = [...target.http.seen];
  task.meta.troubles = await settle();
});

// Where the run was broken off, the clean-up above is left out.
afterAll(settle);
