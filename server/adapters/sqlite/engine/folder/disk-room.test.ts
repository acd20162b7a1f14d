import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { StoreFullError } from '../../../../ports/store-errors.js';
import { readiness } from '../../../../services/upkeep/health.js';
import { LetterEmbedder } from '../../../../testing/fixtures/letter-embedder.js';
import { anOrganization, store } from '../../../../testing/fixtures/memories.js';
import { makeQuickFolder } from '../../../../testing/processes/quick-folder.js';
import type { SqliteStore } from '../../sqlite-store.js';
import { openSqliteStore } from '../../store.js';

const MEBIBYTE = 1024 * 1024;
const DISK_MEBIBYTES = 40;
const RUNNING = { starting: false, stopping: false, embeddedOtherwise: 0 };

const disk = makeQuickFolder();
const whyNot = mountSmallDisk();
afterAll(() => {
  // A lazy unmount: the engine closes its files only after the statements of a connection are garbage collected.
  if (whyNot === undefined) execFileSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

describe.skipIf(whyNot !== undefined)('a disk that is full', () => {
  test('makes the service not ready while only small writes fit, and ready again when there is room', async () => {
    const opened = await openSqliteStore({ dataDir: disk });
    onTestFinished(() => opened[Symbol.asyncDispose]());
    const organizationId = await anOrganization(opened);
    const ready = () => readiness({ store: opened, embedder: new LetterEmbedder() }, RUNNING);
    const acknowledged = await writeSome(opened, organizationId, 1);
    const filler = fill();

    const refused = store(opened, organizationId, ...large());
    await expect(refused).rejects.toThrow(StoreFullError);
    const full = await ready();
    const again = await ready();
    rmSync(filler);

    expect(full).toMatchObject({
      status: 'down',
      checks: { store: { status: 'down', detail: 'the disk is full: writes are refused' } },
    });
    expect(again).toEqual(full);
    await vi.waitFor(async () => expect((await ready()).status).toBe('ok'), { timeout: 30_000, interval: 100 });
    acknowledged.push(...(await writeSome(opened, organizationId, 20)));
    for (const id of acknowledged) expect(await opened.memories.findById(organizationId, id)).toBeDefined();
    expect(readdirSync(disk)).not.toContain('memory.probe');
  });
});

async function writeSome(opened: SqliteStore, organizationId: string, count: number): Promise<string[]> {
  return (await store(opened, organizationId, ...Array.from({ length: count }, () => ({})))).map(({ id }) => id);
}

/** Does not fit on the disk any more. */
function large() {
  return Array.from({ length: 40 }, (_, n) => ({ content: `${n} ${'x'.repeat(100_000)}` }));
}

/** Fills the disk except for a little room, into which the small write of a probe fits. */
function fill(): string {
  const path = join(disk, 'filler');
  const taken = Number(execFileSync('df', ['--output=used', '-B1', disk], { encoding: 'utf8' }).split('\n')[1]);
  writeFileSync(path, Buffer.alloc(DISK_MEBIBYTES * MEBIBYTE - taken - MEBIBYTE));
  return path;
}

/** Returns why no small disk can be mounted, if so: that requires root. */
function mountSmallDisk(): string | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEBIBYTES}m`, 'none', disk], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
