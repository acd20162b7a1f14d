import { afterAll, describe, inject, test } from 'vitest';
import { selectChecks } from './catalogue.js';
import { PrerequisiteError } from './check.js';
import { cleanUp } from './clean-up.js';
import { overNetwork } from './http.js';
import { toProfile } from './profile.js';
import './suite-meta.js';
import { Target } from './target.js';

const options = inject('conformance');
const target = new Target({
  transport: overNetwork(options.baseUrl),
  token: options.token,
  secondToken: options.secondToken,
  profile: toProfile(options.checked),
  without: new Set(options.without),
});

describe('conformance', () => {
  for (const check of selectChecks(options)) {
    test(check.id, async ({ task, skip }) => {
      const { id, section, level, requirement } = check;
      task.meta.conformance = { id, section, level, requirement };
      const lacking = check.needs?.find((capability) => target.without.has(capability));
      if (lacking) return skip(`declared --without ${lacking}`);
      try {
        await check.run(target);
      } catch (error) {
        task.meta.blocked = error instanceof PrerequisiteError;
        throw error;
      }
    });
  }

  test('clean-up', async ({ task }) => {
    task.meta.seen = [...target.http.seen];
    if (options.keep) return;
    const { second, people } = target.profile.tokens;
    const given = [target.token, options.secondToken ?? second, people].filter((token) => token !== undefined);
    task.meta.troubles = await cleanUp(target, [...new Set(given)]);
    await target.release();
  });
});

afterAll(() => target.release());
