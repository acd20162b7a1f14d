import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { builtModule } from '../testing/processes/server-process.js';
import { Checks } from './check.js';
import { Claims } from './claims.js';
import { whyNoTrace } from './trace.js';

/** Pages after which the log is copied. It is small, so the writer fills the log many times. */
const SMALL_LOG = '30';

describe.skipIf(whyNoTrace() !== undefined)(
  'a disk that fails while another thread copies the log into the database',
  () => {
    test('ends the process if a sync fails, because what is on disk is unknown and a second sync would not report it', async () => {
      const folder = await temporaryFolder();
      const made = await write(folder, []);

      // Only copying the log syncs a database that exists already.
      const broken = await write(folder, onDatabase(folder, 'inject=fsync,fdatasync:error=EIO'));

      expect(made.code).toBe(0);
      expect(broken.code).toBe(70);
      expect(broken.errors).toMatch(/disk I\/O error[\s\S]*database-thread/);
    });

    test('rejects writes when it is full and the log at its limit, and keeps what was acknowledged', async () => {
      const folder = await temporaryFolder();
      const made = await write(folder, []);

      const full = await write(folder, onDatabase(folder, 'inject=pwrite64:error=ENOSPC'));

      const claims = new Claims();
      for (const line of [...made.claims, ...full.claims]) claims.add(line);
      expect(full.claims.length).toBeGreaterThan(0);
      expect(full).toMatchObject({ code: 1, errors: expect.stringContaining('the disk is full') });
      expect(new Checks().check(folder, claims)).toEqual({ lost: [], corrupt: [] });
    });
  },
);

function onDatabase(folder: string, fault: string): string[] {
  return ['-P', join(folder, 'memory.db'), '-e', fault];
}

interface Ended {
  code: unknown;
  claims: string[];
  errors: string;
}

/** Runs the writer under strace with these options. Resolves when it has ended. */
async function write(folder: string, options: readonly string[]): Promise<Ended> {
  const strace = ['-f', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync,pwrite64', ...options];
  const program = [process.execPath, builtModule('durability/writer.js'), folder, SMALL_LOG];
  return new Promise((resolve) => {
    execFile('strace', [...strace, ...program], (error, output, errors) => {
      resolve({ code: error?.code ?? 0, claims: output.trimEnd().split('\n'), errors });
    });
  });
}

async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'memory-disk-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
