import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreUnavailableError } from '../../../../ports/store.js';
import { anOrganization, store } from '../../../../testing/fixtures/memories.js';
import { openSqliteStore } from '../../store.js';
import { Connection } from '../connection.js';
import type { CheckpointMode, Copier } from './checkpoint-thread.js';
import { WriteAheadLog } from './write-ahead-log.js';

const STEP = 20;
const LIMIT = 4 * STEP;

describe('WriteAheadLog', () => {
  test('copies nothing while there is little', async () => {
    const { log, copier, grow } = open();

    grow(STEP - 1);
    await log.makeRoom();

    expect(copier.calls).toBe(0);
  });

  test('has what was added copied while writers go on', async () => {
    const { log, copier, grow, pages } = open();
    copier.hold();

    grow(STEP);
    await log.makeRoom();
    grow(2 * STEP);
    await log.makeRoom();

    expect(copier.calls).toBe(1);
    expect(pages()).toBe(2 * STEP);
  });

  test('is written from its start again when all of it was copied', async () => {
    const { log, grow, pages } = open();

    grow(STEP);
    await log.makeRoom();
    await turn();
    grow(3);

    expect(pages()).toBe(3);
  });

  test('counts anew after it started again', async () => {
    const { log, copier, grow } = open();
    const calls: number[] = [];

    for (let round = 0; round < 3; round += 1) {
      grow(1);
      await log.makeRoom();
      grow(STEP);
      await log.makeRoom();
      await turn();
      calls.push(copier.calls);
    }

    expect(calls).toEqual([1, 2, 3]);
  });

  test('makes writers wait at its limit, until what was added last is copied too', async () => {
    const { log, copier, grow, pages } = open();
    copier.hold();
    grow(STEP);
    await log.makeRoom();
    grow(LIMIT);
    let hasRoom = false;

    const waiting = log.makeRoom().then(() => {
      hasRoom = true;
    });
    await turn();
    expect({ hasRoom, calls: copier.calls }).toEqual({ hasRoom: false, calls: 1 });
    copier.release();
    await waiting;
    grow(3);

    expect(copier.modes).toEqual(['PASSIVE', 'RESTART']);
    expect(pages()).toBe(3);
  });

  test('grows beyond its limit while somebody reads an older state, and is tried again at times', async () => {
    const { log, copier, grow, pages, connect } = open();
    grow(2);
    const reader = connect();
    reader.exec('BEGIN');
    reader.get('SELECT count(*) FROM texts');

    for (let to = 2 * LIMIT; to <= 3 * LIMIT; to += 1) {
      grow(to);
      await log.makeRoom();
    }
    const tried = copier.calls;
    expect(pages()).toBe(3 * LIMIT);
    reader.exec('COMMIT');
    grow(4 * LIMIT);
    await log.makeRoom();
    grow(3);

    // At twice the limit, and a quarter later.
    expect(tried).toBe(2);
    expect(pages()).toBe(3);
  });

  test('keeps nobody from writing when it cannot be copied yet', async () => {
    const { log, copier, grow, pages } = open();
    copier.failWith(new StoreUnavailableError('the disk is full'));
    grow(STEP);
    await log.makeRoom();
    await turn();

    copier.failWith(undefined);
    grow(2 * STEP);
    await log.makeRoom();
    await turn();
    grow(3);

    expect(pages()).toBe(3);
  });

  test('refuses units from its limit on while it cannot be copied, and tries again with each group', async () => {
    const { log, copier, grow, pages } = open();
    copier.failWith(new StoreUnavailableError('the disk is full'));
    grow(LIMIT);

    await expect(log.makeRoom()).rejects.toThrow('the disk is full');
    await expect(log.makeRoom()).rejects.toThrow('the disk is full');
    copier.failWith(undefined);
    await log.makeRoom();
    grow(3);

    expect(pages()).toBe(3);
  });

  test('ends what copies', async () => {
    const { log, copier } = open();

    await log.close();

    expect(copier.isClosed).toBe(true);
  });
});

describe('the log of a store', () => {
  test('stays at its limit however many write at once', async () => {
    const { opened, dataDir } = await openStore({ logPages: STEP });
    const organizationId = await anOrganization(opened);

    await write(opened, organizationId, 100);

    // A commit is never cut: the last one begins below the limit.
    expect(logSize(dataDir)).toBeLessThan((LIMIT + LARGEST_COMMIT) * PAGE_BYTES);
  });

  test('gets short again after somebody has read an older state for long, who was not waited for', async () => {
    const { opened, dataDir } = await openStore({ logPages: STEP });
    const organizationId = await anOrganization(opened);
    const reader = new Connection(join(dataDir, 'memory.db'));
    onTestFinished(() => reader.close());
    reader.exec('BEGIN');
    reader.get('SELECT count(*) FROM memories');

    await write(opened, organizationId, 30);
    const whileReading = logSize(dataDir);
    reader.exec('COMMIT');
    await write(opened, organizationId, 30);

    expect(whileReading).toBeGreaterThan(2 * LIMIT * PAGE_BYTES);
    expect(pagesOf(reader)).toBeLessThan(LIMIT + LARGEST_COMMIT);
    expect(reader.get('SELECT count(*) AS count FROM memories')).toMatchObject({ count: 480 });
  });

  test('is empty when the store is closed in the midst of writing', async () => {
    const { opened, dataDir } = await openStore({ logPages: STEP });
    const organizationId = await anOrganization(opened);
    await write(opened, organizationId, 5);

    const writing = write(opened, organizationId, 1_000).catch((error: unknown) => error);
    await opened[Symbol.asyncDispose]();

    expect(await writing).toBeInstanceOf(StoreUnavailableError);
    expect(statSync(join(dataDir, 'memory.db-wal'), { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  });
});

const PAGE_BYTES = 4_096 + 24;
/** More than eight units write. */
const LARGEST_COMMIT = 300;

async function openStore(options: { logPages: number }) {
  const dataDir = folder();
  const opened = await openSqliteStore({ dataDir, ...options });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return { opened, dataDir };
}

/** Eight writers, each so many memories one after the other. */
async function write(into: Awaited<ReturnType<typeof openSqliteStore>>, organizationId: string, each: number) {
  const writer = async () => {
    for (let n = 0; n < each; n += 1) await store(into, organizationId, {});
  };
  await Promise.all(Array.from({ length: 8 }, writer));
}

function logSize(dataDir: string): number {
  return statSync(join(dataDir, 'memory.db-wal')).size;
}

function pagesOf(connection: Connection): number {
  return connection.get<{ log: number }>('PRAGMA wal_checkpoint(NOOP)')?.log ?? 0;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'memory-log-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function open() {
  const path = join(folder(), 'test.db');
  const connect = () => {
    const connection = new Connection(path, { busyTimeoutMs: 0 });
    onTestFinished(() => connection.close());
    return connection;
  };
  const writer = connect();
  writer.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE texts (text TEXT)');
  writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const copier = new HeldCopier(connect());
  const pages = () => pagesOf(writer);
  return {
    log: new WriteAheadLog(writer, copier, STEP),
    copier,
    pages,
    connect,
    /** Adds to the log until it has so many pages; one that was all copied starts again. */
    grow: (to: number) => {
      do writer.run("INSERT INTO texts VALUES ('')");
      while (pages() < to);
    },
  };
}

/** Copies at once, and says so when it is let. */
class HeldCopier implements Copier {
  calls = 0;
  readonly modes: CheckpointMode[] = [];
  isClosed = false;
  #held = Promise.resolve();
  #error: Error | undefined;
  release = () => {};

  constructor(private readonly connection: Connection) {}

  hold(): void {
    this.#held = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  failWith(error: Error | undefined): void {
    this.#error = error;
  }

  async copy(mode: CheckpointMode): Promise<void> {
    this.calls += 1;
    this.modes.push(mode);
    if (this.#error) throw this.#error;
    // Up to where the log ends when it begins, as the engine does it.
    this.connection.get(`PRAGMA wal_checkpoint(${mode})`);
    await this.#held;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}
