import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { builtModule } from '../../../testing/processes/server-process.js';
import { openSqliteStore } from '../store.js';

describe('a killed process', () => {
  test('keeps every acknowledged memory complete, and none that was not finished', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'memory-kill-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const acknowledged: string[] = [];
    let organizationId = '';
    for (let round = 0; round < 6; round += 1) {
      // A log this short is being copied into the database most of the time.
      const lines = await writeUntilKilled(dataDir, round % 2 === 1 ? ['30'] : []);
      for (const line of lines) {
        if (line.startsWith('organization ')) organizationId = line.slice('organization '.length);
        else acknowledged.push(line);
      }
    }

    const opened = await openSqliteStore({ dataDir });
    onTestFinished(() => opened[Symbol.asyncDispose]());
    const everything = { filter: NO_FILTER, includeDeleted: true };
    const stored = await opened.memories.list(organizationId, { ...everything, order: 'oldest', limit: 100_000 });

    const ids = new Set(stored.map(({ id }) => id));
    expect(acknowledged.length).toBeGreaterThan(500);
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    expect((await opened.usage.read(organizationId, '2024-05')).ingest).toBe(stored.length);
    const stats = await opened.memories.stats(organizationId, { ...everything, facets: ['kind'], valuesPerFacet: 9 });
    expect(stats).toMatchObject({ total: stored.length, facets: { kind: [{ value: 'x', count: stored.length }] } });
    const words = { ...everything, text: 'durable', limit: 100_000 };
    expect((await opened.memories.matching(organizationId, words)).matches).toHaveLength(stored.length);
    for (const { id, content } of stored) expect(content).toBe(`durable ${id}`);
  });
});

/** Returns what the writer printed before it was killed in the middle of its work. */
async function writeUntilKilled(dataDir: string, options: readonly string[]): Promise<string[]> {
  const program = builtModule('testing/adapter-suites/store-writer.js');
  const writer = spawn(process.execPath, [program, dataDir, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    writer.kill('SIGKILL');
  });
  const ended = once(writer, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: writer.stdout })) {
    lines.push(line);
    if (lines.length === 120) writer.kill('SIGKILL');
  }
  await ended;
  return lines;
}
