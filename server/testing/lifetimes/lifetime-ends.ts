import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { deleteMemory } from '../../services/removal/delete.js';
import { deleteMany } from '../../services/removal/delete-many.js';
import { requestErasure } from '../../services/removal/erasures.js';
import { purgeMemory } from '../../services/removal/purge.js';
import { restoreMemory } from '../../services/removal/restore.js';
import { goOnErasing } from '../../services/upkeep/erase-subject.js';
import { tendAll } from '../../services/upkeep/tend.js';
import { ingest } from '../../services/writing/ingest.js';
import {
  active,
  anySubject,
  expectRefused,
  expire,
  HOUR_US,
  holderOf,
  restored,
  some,
  someActive,
  someContent,
  someKind,
  someOf,
  type World,
} from './lifetime-world.js';

export const RETENTION_DAYS = 5;

export async function deleteOne(world: World): Promise<void> {
  const target = someActive(world);
  if (!target) return;
  await deleteMemory(world.deps, world.caller, target.id);
  world.model.set(target.id, { ...target, deletedAt: world.clock.now });
}

export async function deleteMatching(world: World): Promise<void> {
  const { deps, caller, model, clock } = world;
  const kind = someKind(world);
  const matching = active(world).filter(({ metadata }) => metadata.kind === kind);
  if (matching.length > 10) return;
  const filter = { kind };
  await expectRefused(deleteMany(deps, caller, { filter, expectedCount: matching.length + 1 }), 409);

  const answer = await deleteMany(deps, caller, { filter, expectedCount: matching.length });

  expect(answer).toEqual({ deleted: matching.length, missing: [], remaining: 0 });
  for (const each of matching) model.set(each.id, { ...each, deletedAt: clock.now });
}

export async function deleteByIds(world: World): Promise<void> {
  const { deps, caller, model, clock, purged } = world;
  const ids = [...model.keys(), ...purged].filter(() => world.random() < 0.02);
  if (ids.length === 0) return;
  const doomed = active(world).filter(({ id }) => ids.includes(id));
  const missing = ids.filter((id) => !doomed.some((each) => each.id === id));

  const answer = await deleteMany(deps, caller, { ids });

  expect(answer).toEqual({ deleted: doomed.length, missing, remaining: 0 });
  for (const each of doomed) model.set(each.id, { ...each, deletedAt: clock.now });
}

export async function restoreOne(world: World): Promise<void> {
  const { deps, caller, model } = world;
  const target = some(world, [...model.values()]);
  if (!target) return;
  const { id, externalKey } = target;
  const keyed = active(world).find((each) => externalKey !== undefined && each.externalKey === externalKey);
  const inTheWay = keyed ?? holderOf(world, target, id);

  const restoring = restoreMemory(deps, caller, id);

  if (target.deletedAt !== undefined && inTheWay) return expectRefused(restoring, 409, inTheWay.id);
  expect(await restoring).toMatchObject({ id, content: target.content });
  model.set(id, restored(world, target));
}

export async function purgeOne(world: World): Promise<void> {
  const { deps, caller, model, purged } = world;
  const target = some(world, [...model.values()]);
  if (!target) return;
  const purging = purgeMemory(deps, caller, target.id);
  if (target.deletedAt === undefined) return expectRefused(purging, 409);
  await purging;
  model.delete(target.id);
  purged.add(target.id);
}

/** Erases everything about a subject, including versions of other memories about it. */
export async function eraseOne(world: World): Promise<void> {
  const { deps, caller, model, purged } = world;
  const subjectKey = anySubject(world);
  const { id } = await requestErasure(deps, caller, subjectKey);
  await expectRefused(ingest(deps, caller, { content: someContent(world), subjectKey }), 503);

  // The test's clock stays still during these delays of real time, so the same seed makes the same steps.
  for (;;) {
    const pause = await goOnErasing(deps, caller.organizationId, id);
    if (!pause) break;
    await delay(pause.retryAfterMs);
  }

  for (const each of [...model.values()]) {
    const versions = each.versions.filter((version) => version.subjectKey !== subjectKey);
    if (each.subjectKey !== subjectKey) model.set(each.id, { ...each, versions });
    else if (model.delete(each.id)) purged.add(each.id);
  }
  await expire(world);
}

/** Advances the clock by hours, so that memories expire. Now and then upkeep purges old deleted memories. */
export async function letTimePass(world: World): Promise<void> {
  const { clock, deps, model, purged } = world;
  clock.now += someOf(world, 8) * HOUR_US;
  await expire(world);
  if (world.random() < 0.7) return;
  await tendAll(deps);
  const before = clock.now - RETENTION_DAYS * 24 * HOUR_US;
  for (const { id, deletedAt = Infinity, importedAt = 0 } of [...model.values()]) {
    if (Math.max(deletedAt, importedAt) >= before) continue;
    model.delete(id);
    purged.add(id);
  }
}
