import { expect, test } from 'vitest';
import { type TestApp, testApp } from '../../testing/app/test-app.js';
import { SeededChoices } from '../../testing/fixtures/seeded-choices.js';

const MINUTE_US = 60 * 1_000_000;
const YEAR_US = 365 * 24 * 60 * MINUTE_US;
const START_US = Date.UTC(2026, 2, 20) * 1_000;
/** Steps of the system clock: small and large, forward and back, and a clock that stands still. */
const STEPS_US = [
  0,
  1,
  -1,
  1_000_000,
  -1_000_000,
  MINUTE_US,
  -MINUTE_US,
  YEAR_US,
  -YEAR_US,
  -10 * YEAR_US,
  YEAR_US / 2,
];
const WRITES = 80;

interface Change {
  id: string;
  change: string;
  updatedAt: string;
  metadata?: { version: number };
}

test('a system clock that jumps loses no write, and a follower of the changes misses none', async () => {
  let at = START_US;
  const app = await testApp({ now: () => at });
  const choices = new SeededChoices(7);
  const expected = new Map<string, number | 'deleted'>();
  const follower = new Follower(app);
  const statuses = new Set<number>();

  for (let n = 0; n < WRITES; n += 1) {
    at = Math.max(YEAR_US, at + choices.pick(STEPS_US));
    statuses.add(await writeOne(app, choices, n, expected));
    if (choices.chance(0.2)) await follower.catchUp();
  }
  await follower.catchUp();

  expect([...statuses].sort()).toEqual([200, 201, 204]);
  expect(follower.seen).toEqual(expected);
  expect(follower.times).toEqual([...follower.times].sort());
  expect(new Set(follower.times).size).toBe(follower.times.length);
  expect(await activeVersions(app)).toEqual(new Map([...expected].filter(([, version]) => version !== 'deleted')));
});

/** Stores, updates or deletes a memory. Returns the status of the answer. */
async function writeOne(
  app: TestApp,
  choices: SeededChoices,
  n: number,
  expected: Map<string, number | 'deleted'>,
): Promise<number> {
  const active = [...expected].flatMap(([id, version]) => (version === 'deleted' ? [] : [id]));
  const kind = active.length === 0 ? 'store' : choices.weighted({ store: 3, update: 2, delete: 1 });
  if (kind === 'store') {
    const { status, body } = await app.send('POST', '/api/memories', { content: `${n}`, metadata: { version: n } });
    expected.set(String(body.id), n);
    return status;
  }
  const id = choices.pick(active);
  if (kind === 'delete') {
    expected.set(id, 'deleted');
    return (await app.send('DELETE', `/api/memories/${id}`)).status;
  }
  expected.set(id, n);
  return (await app.send('PATCH', `/api/memories/${id}`, { metadata: { version: n } })).status;
}

/** Follows the change feed with its cursor. */
class Follower {
  /** The last version of each memory. */
  readonly seen = new Map<string, number | 'deleted'>();
  /** Times of the changes, in the order of the feed. */
  readonly times: string[] = [];
  #cursor = '';

  constructor(private readonly app: TestApp) {}

  async catchUp(): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const path = `/api/memories/changes?since=1970-01-01T00:00:00Z&includeDeleted=true&limit=10${this.#cursor}`;
      const { body } = await this.app.send('GET', path);
      for (const { id, change, updatedAt, metadata } of body.changes as Change[]) {
        this.seen.set(id, change === 'deleted' ? 'deleted' : (metadata?.version ?? -1));
        this.times.push(updatedAt);
      }
      if (body.nextCursor !== undefined) this.#cursor = `&cursor=${encodeURIComponent(String(body.nextCursor))}`;
      hasMore = (body.meta as { hasMore: boolean }).hasMore;
    }
  }
}

async function activeVersions(app: TestApp): Promise<Map<string, number>> {
  const { text } = await app.send('GET', '/api/memories/export?limit=500');
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const { id, metadata } = JSON.parse(line) as { id: string; metadata: { version: number } };
      return [id, metadata.version];
    }),
  );
}
