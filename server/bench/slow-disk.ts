import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtModule, builtPackage } from '../testing/processes/server-process.js';
import { runConcurrently } from './concurrent.js';
import type { Corpus } from './corpus.js';
import { printTable, type Row } from './table.js';
import type { Latency } from './timing.js';
import { EMBEDDED, World } from './world.js';

/** Writes of each measurement. */
const ROUNDS = 2_000;
/** Memories that are stored before, to warm up the server. */
const WARM_UP = 500;

/**
 * Measures single writes on a disk with slow fsync, which strace delays: one client, several, and many, with a bare
 * commit as the floor.
 */
export async function benchSlowDisk(
  folder: string,
  corpus: Corpus,
  { delayMs, clients }: { delayMs: number; clients: number },
): Promise<void> {
  const tracer = delaying(delayMs);
  const own = await mkdtemp(join(folder, 'slow-'));
  const commit = await slowCommit(tracer, own);
  const world = await World.start(builtPackage('server'), own, 1, { ...EMBEDDED, tracer });
  const write = (item: unknown) => world.client(0).ok('POST', '/api/memories', item);
  const rows: Row[] = [];
  try {
    await runConcurrently(clients, corpus.take(WARM_UP), write);
    let alone: number | undefined;
    for (const count of [1, clients, 4 * clients]) {
      const { perSecond, latency } = await runConcurrently(count, corpus.take(ROUNDS), write);
      alone ??= perSecond;
      const ratios = [`${((perSecond * commit.p50) / 1_000).toFixed(2)} × one bare commit a write`];
      if (count > 1) ratios.push(`${(perSecond / alone).toFixed(2)} × one client`);
      rows.push({
        what: `single ingest, ${count} ${count === 1 ? 'client' : 'clients'}: ${Math.round(perSecond)} /s, ${ratios.join(', ')}`,
        latency,
      });
    }
  } finally {
    await world.stop();
  }
  printTable(`each fsync ${delayMs} ms longer`, rows, [['bare commit', commit.p50]]);
}

/** Returns a command that runs a program with every fsync delayed, and no other call. */
function delaying(delayMs: number): string[] {
  const fault = `inject=fsync,fdatasync:delay_enter=${delayMs}ms`;
  const calls = ['-e', 'trace=fsync,fdatasync', '-e', fault];
  return ['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', ...calls];
}

async function slowCommit(tracer: readonly string[], folder: string): Promise<Latency> {
  const [command = '', ...args] = tracer;
  const program = builtModule('bench/bare-commit.js');
  const { stdout } = await promisify(execFile)(command, [...args, process.execPath, program, folder]);
  return JSON.parse(stdout) as Latency;
}
