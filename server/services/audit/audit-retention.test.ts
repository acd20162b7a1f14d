import { expect, test } from 'vitest';
import { testWorld } from '../../testing/app/test-deps.js';
import { AuditRetention } from './audit-retention.js';
import { recordAudit } from './record-audit.js';

const DAY_US = 24 * 60 * 60 * 1_000_000;
const EVENTS = 1_200;

test('deletes the events of all organizations that are older than the days, once a day', async () => {
  const { deps, caller, clock } = await world();
  await record(EVENTS);
  clock.now += 30 * DAY_US;
  await record(2);
  const retention = new AuditRetention(deps, 30);

  await retention.run();
  expect(await count()).toBe(EVENTS + 2);

  clock.now += 1;
  await retention.run();
  expect(await count()).toBe(EVENTS + 2);

  clock.now += DAY_US;
  await retention.run();
  expect(await count()).toBe(2);

  async function world() {
    const clock = { now: 1_700_000_000_000_000 };
    const made = await testWorld({ now: () => clock.now });
    return { ...made, clock };
  }

  async function record(events: number) {
    await deps.store.transact(caller.organizationId, async (unit) => {
      for (let n = 0; n < events; n += 1)
        await recordAudit(deps, unit, caller, { action: 'memory.ingest', metadata: {} });
    });
  }

  async function count() {
    const events = await deps.store.audit.list(caller.organizationId, { limit: 10_000 });
    return events.filter(({ action }) => action === 'memory.ingest').length;
  }
});
