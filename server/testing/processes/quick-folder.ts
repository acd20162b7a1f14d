import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 1024 ** 3;

const parent = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();

/**
 * Returns a folder that is removed when the test ends, in memory if the machine has room there. On a disk, most tests
 * would mostly wait for it. Tests of crashes belong on a disk.
 */
export function quickFolder(): string {
  const folder = makeQuickFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns such a folder; the caller removes it. */
export function makeQuickFolder(): string {
  return mkdtempSync(join(parent, 'memory-test-'));
}

/** Without such a place, or with a small one as in most containers, the disk is used. */
function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
