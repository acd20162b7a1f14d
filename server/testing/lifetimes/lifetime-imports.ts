import { expect } from 'vitest';
import type { Memory } from '../../domain/memory/memory.js';
import type { MemoryVersion } from '../../domain/memory/version.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import type { ImportInput, VersionInput } from '../../services/writing/arrival.js';
import { type ImportItem, type ImportResult, importMemories } from '../../services/writing/import.js';
import {
  active,
  at,
  expire,
  HOUR_US,
  holderOf,
  type Modelled,
  some,
  someContent,
  someHours,
  someMetadata,
  someOf,
  someSubject,
  stateOf,
  type World,
  written,
} from './lifetime-world.js';

const YEAR_US = 365 * 24 * HOUR_US;

/** Imports a memory with its versions, which may conflict with a stored one. */
export async function importOne(world: World): Promise<void> {
  const { deps, caller, model, clock, keptVersions } = world;
  const createdAt = clock.now - YEAR_US - someOf(world, 1_000);
  const arriving = anArrival(world, createdAt + HOUR_US);
  const { id, versions, deletedAt, expiresAt } = arriving;
  const { externalKey } = arriving;
  const keyed = active(world).find((each) => externalKey !== undefined && each.externalKey === externalKey);
  const isRefused = deletedAt === undefined && (holderOf(world, arriving) ?? keyed) !== undefined;

  const item: ImportInput = {
    id,
    ...stateOf(arriving),
    ...(externalKey !== undefined && { externalKey }),
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(createdAt + HOUR_US),
    ...(deletedAt !== undefined && { deletedAt: formatTimestamp(deletedAt) }),
    ...written(expiresAt === undefined ? {} : { expiresAt }),
  };
  const states = versions.map(({ number, ...state }): ImportItem => {
    const [updatedAt, replacedAt] = [createdAt + number, createdAt + number + 1].map(formatTimestamp);
    return { version: { memoryId: id, version: number, ...state, updatedAt: updatedAt!, replacedAt: replacedAt! } };
  });
  const results = await importMemories(deps, caller, [{ input: item }, ...states]);

  expect(results.slice(1).map(wordOf)).toEqual(
    versions.map(() => (isRefused ? 404 : keptVersions === 0 ? 'not_kept' : 'created')),
  );
  expect(wordOf(results[0])).toBe(isRefused ? 409 : 'created');
  if (isRefused) return;
  const kept = versions.slice(Math.max(0, versions.length - keptVersions));
  model.set(id, { ...arriving, importedAt: clock.now, versions: kept, counted: kept.at(-1)?.number ?? 0 });
  await expire(world);
}

/** Imports stored memories again, which changes nothing. */
export async function importAgain(world: World): Promise<void> {
  const target = some(world, [...world.model.values()]);
  if (!target) return;
  const { id, content } = target;
  const isOther = world.random() < 0.3;
  const input = { id, content: isOther ? `${content} of elsewhere` : content, metadata: { other: true } };

  const [result] = await importMemories(world.deps, world.caller, [{ input }]);

  expect(wordOf(result)).toBe(isOther ? 409 : 'present');
}

/** Returns the items that import everything into another organization unchanged. */
export function itemsOf(memories: readonly Memory[], versions: readonly MemoryVersion[]): ImportItem[] {
  return memories
    .toSorted((a, b) => a.updatedAt - b.updatedAt)
    .flatMap((memory) => [
      { input: toInput(memory) },
      ...versions.filter(({ memoryId }) => memoryId === memory.id).map((version) => ({ version: toVersion(version) })),
    ]);
}

function toInput({ organizationId: _, createdAt, updatedAt, deletedAt, expiresAt, ...memory }: Memory): ImportInput {
  return {
    ...memory,
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
    ...(deletedAt !== undefined && { deletedAt: formatTimestamp(deletedAt) }),
    ...(expiresAt !== undefined && { expiresAt: formatTimestamp(expiresAt) }),
    scope: {},
  };
}

function toVersion({ number, updatedAt, replacedAt, ...version }: MemoryVersion): VersionInput {
  return {
    ...version,
    version: number,
    updatedAt: formatTimestamp(updatedAt),
    replacedAt: formatTimestamp(replacedAt),
  };
}

function anArrival(world: World, changedAt: number): Modelled {
  const hours = someHours(world);
  const versions = Array.from({ length: someOf(world, 4) }, (_, index) => ({
    number: index + 1,
    content: someContent(world),
    metadata: someMetadata(world),
    ...someSubject(world),
  }));
  return {
    id: world.deps.newId(),
    content: someContent(world),
    metadata: someMetadata(world),
    ...someSubject(world),
    ...(world.random() < 0.3 && { externalKey: `key-${someOf(world, 4)}` }),
    ...(world.random() < 0.3 && { deletedAt: changedAt }),
    ...(hours !== undefined && { expiresAt: at(world, hours - 5) }),
    versions,
    counted: versions.length,
  };
}

function wordOf(result: ImportResult | undefined): string | number | undefined {
  return result && ('error' in result ? result.error.status : result.outcome);
}
