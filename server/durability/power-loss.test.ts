import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { builtModule } from '../testing/processes/server-process.js';
import { type Report, replay } from './replay.js';
import { readTrace, record, type Trace, type TraceEvent, whyNoTrace } from './trace.js';

/** The number of crash states of the store; a nightly run may set more. */
const STATES = Number(process.env.POWER_LOSS_STATES ?? 5_200);
const SEED = Number(process.env.POWER_LOSS_SEED ?? 1);
const STATES_OF_CONTROL = 300;
const TIME_LIMIT_MS = 120_000 + STATES * 60;

/** Pages after which the log is copied: few, so that many crashes hit a copy and the log restarts often. */
const SMALL_LOG = '60';

const problem = whyNoTrace();
if (problem !== undefined) {
  console.warn(
    `\n!!! THE REPLAY OF POWER LOSSES IS SKIPPED: strace cannot run (${problem}).\n` +
      '!!! Nothing here proves that acknowledged writes survive a power loss. Install strace: apt-get install strace\n',
  );
}

describe.skipIf(problem !== undefined)('a power loss', () => {
  test(
    'loses nothing that was acknowledged and breaks nothing, with the store as it is',
    async () => {
      const { events } = await written();

      const report = await losePower(events, STATES / 2);

      expect(report).toMatchObject({ losing: 0, corrupted: 0, examples: [] });
      expectMuch(report);
    },
    TIME_LIMIT_MS,
  );

  test(
    'loses nothing and breaks nothing while another thread copies the log into the database',
    async () => {
      const { events, threads } = await written(SMALL_LOG);

      const report = await losePower(events, STATES / 2);

      expect(report).toMatchObject({ losing: 0, corrupted: 0, examples: [] });
      expectMuch(report);
      expect(threads).toBeGreaterThan(1);
    },
    TIME_LIMIT_MS,
  );

  test(
    'loses acknowledged writes if commits do not wait for the disk, and the replay detects it',
    async () => {
      const { events } = await written('', 'PRAGMA synchronous = NORMAL');

      const report = await losePower(events, STATES_OF_CONTROL);

      expect(report.losing).toBeGreaterThan(report.states / 10);
      expect(report.corrupted).toBe(0);
    },
    TIME_LIMIT_MS,
  );

  test(
    'breaks the database on a disk that reports writes it did not make, and the replay detects it',
    async () => {
      const { events } = await written(SMALL_LOG);

      const report = await losePower(
        events.filter(({ kind }) => kind !== 'sync'),
        STATES_OF_CONTROL,
      );

      expect(report.losing).toBeGreaterThan(0);
      expect(report.corrupted).toBeGreaterThan(0);
    },
    TIME_LIMIT_MS,
  );
});

/** Returns the trace of the writer, from its first call to its last. */
async function written(logPages = '', pragmas = ''): Promise<Trace> {
  const folder = await temporaryFolder(tmpdir());
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const output = join(folder, 'trace');
  await record(output, [builtModule('durability/writer.js'), dataDir, logPages, pragmas]);
  return readTrace(output, dataDir);
}

async function losePower(events: readonly TraceEvent[], states: number): Promise<Report> {
  // In memory if there is such a folder: thousands of databases are written one after the other.
  const folder = await temporaryFolder(existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
  const started = performance.now();
  const report = await replay(events, { states, seed: SEED, folder: join(folder, 'state') });
  const seconds = (performance.now() - started) / 1_000;
  const { losing, corrupted, points, claims } = report;
  console.log(
    `${report.states} crash states at ${points} points, ${claims} claims: ` +
      `${losing} lose something, ${corrupted} are corrupt; ${seconds.toFixed(1)} s`,
  );
  return report;
}

/** Finding no fault proves little if little was checked. */
function expectMuch({ states, points, claims, largestGroup }: Report): void {
  // The last points may have no new state left.
  expect(states).toBeGreaterThan((STATES / 2) * 0.97);
  expect(points).toBeGreaterThan(2_000);
  expect(claims).toBeGreaterThan(500);
  expect(largestGroup).toBeGreaterThan(8);
}

async function temporaryFolder(parent: string): Promise<string> {
  const folder = await realpath(await mkdtemp(join(parent, 'memory-power-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
