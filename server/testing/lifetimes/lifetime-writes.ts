import { expect } from 'vitest';
import { formatTimestamp } from '../../domain/timestamp.js';
import { NotFoundError } from '../../errors.js';
import { updateSettings } from '../../services/organization/settings.js';
import { restoreVersion } from '../../services/reading/versions.js';
import { ingest } from '../../services/writing/ingest.js';
import { updateMemory } from '../../services/writing/update.js';
import { upsert } from '../../services/writing/upsert.js';
import {
  active,
  at,
  expectRefused,
  holderOf,
  type Modelled,
  put,
  restored,
  some,
  someActive,
  someContent,
  someDedupe,
  someHours,
  someKind,
  someMetadata,
  someOf,
  someSubject,
  type World,
  withDedupe,
  withTime,
  written,
} from './lifetime-world.js';

const NO_VERSIONS = { versions: [], counted: 0 };

export async function ingestOne(world: World): Promise<void> {
  const { deps, caller, model } = world;
  const hours = someHours(world);
  const state = { content: someContent(world), metadata: someMetadata(world), ...someSubject(world) };
  const dedupe = someDedupe(world);
  const next = withDedupe(state, dedupe);
  const same = holderOf(world, next);
  const given = { ...(hours !== undefined && { expiresAt: at(world, hours) }) };

  const { memory, outcome } = await ingest(deps, caller, { ...state, dedupe, ...written(given) });

  expect(outcome).toBe(same ? 'deduplicated' : 'created');
  if (!same) {
    model.set(memory.id, { id: memory.id, ...next, ...given, ...NO_VERSIONS });
    return;
  }
  expect(memory.id).toBe(same.id);
  const later = given.expiresAt === undefined ? undefined : Math.max(given.expiresAt, same.expiresAt ?? Infinity);
  const metadata = { ...same.metadata, ...state.metadata };
  put(world, same, { ...withTime(same, later === Infinity ? undefined : later), metadata });
}

export async function upsertOne(world: World): Promise<void> {
  const { deps, caller, model } = world;
  const [externalKey, content, hours] = [`key-${someOf(world, 4)}`, someContent(world), someHours(world)];
  const [metadata, subject] = [{ kind: someKind(world) }, someSubject(world)];
  const [dedupe, restoreDeleted] = [someDedupe(world), world.random() < 0.3];
  const keyed = [...model.values()].filter((each) => each.externalKey === externalKey);
  const current = keyed.find(({ deletedAt }) => deletedAt === undefined);
  const gone = current ? undefined : keyed.sort((a, b) => b.deletedAt! - a.deletedAt!)[0];
  const before = current ?? (gone && restored(world, gone));
  const given = { ...(hours !== undefined && { expiresAt: at(world, hours) }) };
  const change = { content, metadata: { ...before?.metadata, ...metadata }, ...subject };
  const next = withDedupe({ ...before, ...change }, dedupe);

  const sent = { externalKey, content, metadata, dedupe, restoreDeleted, ...subject, ...written(given) };
  const writing = upsert(deps, caller, sent);

  if (gone && !restoreDeleted) {
    const refused = await writing.catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotFoundError);
    expect(refused).toMatchObject({ deletedMemoryId: gone.id });
    return;
  }
  const other = holderOf(world, next, before?.id);
  if (other) return expectRefused(writing, 409, other.id);
  const { memory } = await writing;
  if (before) put(world, before, withDedupe({ ...before, ...change, ...given }, dedupe));
  else model.set(memory.id, { id: memory.id, ...next, externalKey, ...given, ...NO_VERSIONS });
}

export async function updateOne(world: World): Promise<void> {
  const target = someActive(world);
  if (!target) return;
  const hours = someHours(world);
  const subject = someSubject(world);
  const content = world.random() < 0.5 ? {} : { content: someContent(world) };
  const metadata = someMetadata(world);
  const metadataReplace = world.random() < 0.3;
  const expiresAt = hours === undefined ? null : formatTimestamp(at(world, hours));
  const next: Modelled = {
    ...withTime(target, hours === undefined ? undefined : at(world, hours)),
    ...content,
    ...subject,
    metadata: metadataReplace ? metadata : { ...target.metadata, ...metadata },
  };
  const other = holderOf(world, next, target.id);

  const change = { metadata, metadataReplace, expiresAt, ...content, ...subject };
  const writing = updateMemory(world.deps, world.caller, target.id, change);

  if (other) return expectRefused(writing, 409, other.id);
  await writing;
  put(world, target, next);
}

export async function restoreOneVersion(world: World): Promise<void> {
  const target = some(
    world,
    active(world).filter(({ versions }) => versions.length > 0),
  );
  const version = some(world, target?.versions ?? []);
  if (!target || !version) return;
  const { number, ...state } = version;
  const { subjectKey: _, ...rest } = target;
  const other = holderOf(world, { ...rest, ...state }, target.id);

  const restoring = restoreVersion(world.deps, world.caller, target.id, String(number));

  if (other) return expectRefused(restoring, 409, other.id);
  expect((await restoring).memory).toMatchObject(state);
  put(world, target, { ...rest, ...state });
}

export async function keepOtherVersions(world: World): Promise<void> {
  world.keptVersions = someOf(world, 5);
  await updateSettings(world.deps, world.caller, { keptVersions: world.keptVersions });
}
