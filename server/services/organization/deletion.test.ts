import { expect, test, vi } from 'vitest';
import { foundOrganization } from '../../testing/app/test-app.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { aFullOrganization, deleteOnly } from '../../testing/fixtures/full-organization.js';
import { tendAll } from '../upkeep/tend.js';
import { goOnRemoving } from './deletion.js';
import { createFirstOrganization } from './first-organization.js';
import { provision } from './provision.js';

const MINUTE_US = 60_000_000;
const HOUR_US = 60 * MINUTE_US;
const AT = 1_700_000_000_000_000;

async function deletedOrganization() {
  const { deps } = await testWorld();
  const { organizationId } = await aFullOrganization(deps.store);
  await deleteOnly(deps.store, organizationId, AT);
  return { deps, organizationId };
}

test('data is removed at once, and again when the requests of before have ended', async () => {
  const { deps, organizationId } = await deletedOrganization();
  const removed = vi.spyOn(deps.store.deletions, 'removeSome');

  const early = await goOnRemoving({ ...deps, now: () => AT + 1_500 }, organizationId);

  expect(early).toEqual({ retryAfterMs: 59_999 });
  expect(await deps.store.deletions.removeSome(organizationId, 1)).toBe(false);
  expect(await deps.store.deletions.list()).toHaveLength(1);
  removed.mockClear();
  expect(await goOnRemoving({ ...deps, now: () => AT + MINUTE_US }, organizationId)).toBeUndefined();
  expect(removed).toHaveBeenCalledOnce();
  expect(await deps.store.deletions.list()).toEqual([]);
});

test('one attempt takes a limited number of steps', async () => {
  const { deps, organizationId } = await deletedOrganization();
  const steps = vi.spyOn(deps.store.deletions, 'removeSome').mockResolvedValue(true);

  expect(await goOnRemoving(deps, organizationId)).toEqual({ retryAfterMs: 0 });
  expect(steps.mock.calls.length).toBeLessThan(100);
});

test('the deletion ends only after the files are cleaned', async () => {
  const { deps, organizationId } = await deletedOrganization();
  const scrub = vi.spyOn(deps.store, 'scrub').mockResolvedValueOnce({ retryAfterMs: 5_000 });
  const late = { ...deps, now: () => AT + MINUTE_US };

  expect(await goOnRemoving(late, organizationId)).toEqual({ retryAfterMs: 5_000 });
  expect(await deps.store.deletions.list()).toHaveLength(1);
  expect(await goOnRemoving(late, organizationId)).toBeUndefined();
  expect(scrub).toHaveBeenCalledTimes(2);
});

test('nothing happens to an organization that was not deleted', async () => {
  const { deps, caller } = await testWorld();

  expect(await goOnRemoving(deps, caller.organizationId)).toBeUndefined();
  expect(await deps.store.accounts.findOrganization(caller.organizationId)).toBeDefined();
});

test('the upkeep continues a deletion whose job was given up', async () => {
  const { deps } = await deletedOrganization();
  const { organizationId: kept } = await foundOrganization({ ...deps, now: () => AT });

  await tendAll({ ...deps, now: () => AT + MINUTE_US });
  expect(await deps.store.deletions.list()).toHaveLength(1);
  await tendAll({ ...deps, now: () => AT + HOUR_US });

  expect(await deps.store.deletions.list()).toEqual([]);
  expect(await deps.store.accounts.findOrganization(kept)).toBeDefined();
});

test('a first start creates an organization again, under the same id and with the same owner', async () => {
  const { deps, caller } = await testWorld();
  await deleteOnly(deps.store, caller.organizationId);
  const made = await createFirstOrganization(deps);
  await deleteOnly(deps.store, made!.organizationId);

  const again = await createFirstOrganization(deps, made!.organizationId);

  expect(again).toMatchObject({ organizationId: made!.organizationId, ownerId: made!.ownerId });
  expect(await deps.store.accounts.membershipsOf(again!.ownerId)).toMatchObject([
    { organizationId: again!.organizationId, role: 'owner' },
  ]);
});

test('an operator cannot provision an organization under an id that is still being deleted', async () => {
  const { deps, organizationId } = await deletedOrganization();
  const wanted = { organizationId, name: 'n', email: 'ana@example.test' };

  await expect(provision(deps, wanted)).rejects.toThrow('organization-id must not be the id of an organization');
});
