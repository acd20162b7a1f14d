import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 1024 ** 3;

const parent = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();

/**
 * A folder that goes when the test ends, in memory where the machine has such a place: a test of what the store
 * answers would mostly wait for the disk. One of what outlives a crash belongs on a disk.
 */
export function quickFolder(): string {
  const folder = makeQuickFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Such a folder, for whoever removes it himself. */
export function makeQuickFolder(): string {
  return mkdtempSync(join(parent, 'memory-test-'));
}

/** Where there is none, or a small one as in most containers, the disk is what remains. */
function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
