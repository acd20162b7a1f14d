import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreUnavailableError } from '../../../../ports/store-errors.js';
import { anOrganization, store } from '../../../../testing/fixtures/memories.js';
import { openSqliteStore } from '../../store.js';
import { Connection } from '../connection.js';
import type { CheckpointMode, Copier } from './checkpoint-thread.js';
import { WriteAheadLog } from './write-ahead-log.js';

const STEP = 20;
const LIMIT = 4 * STEP;

describe('WriteAheadLog', () => {
  test('copies nothing while the log is short', async () => {
    const { log, copier, grow } = open();

    grow(STEP - 1);
    await log.makeRoom();

    expect(copier.calls).toBe(0);
  });

  test('copies new pages while writers continue', async () => {
    const { log, copier, grow, pages } = open();
    copier.hold();

    grow(STEP);
    await log.makeRoom();
    grow(2 * STEP);
    await log.makeRoom();

    expect(copier.calls).toBe(1);
    expect(pages()).toBe(2 * STEP);
  });

  test('counts its pages before every transaction when the next copy is near, and before some of them else', async () => {
    const { log, copier, grow, observe } = open(1_000);
    let counts = 0;
    observe((sql) => {
      if (sql.includes('NOOP')) counts += 1;
    });
    const countsOf = async (transactions: number) => {
      const before = counts;
      for (let n = 0; n < transactions; n += 1) await log.makeRoom();
      return counts - before;
    };
    grow(10);

    expect(await countsOf(90)).toBe(10);
    grow(950);
    await countsOf(9);
    expect(await countsOf(90)).toBe(90);
    grow(1_000);
    await log.makeRoom();
    expect(copier.calls).toBe(1);
  });

  test('restarts after all of it was copied', async () => {
    const { log, grow, pages } = open();

    grow(STEP);
    await log.makeRoom();
    await turn();
    grow(3);

    expect(pages()).toBe(3);
  });

  test('counts from zero after a restart', async () => {
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

  test('makes writers wait at its limit until the last pages are copied too', async () => {
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

  test('makes no writer wait for a reader of the service, nor for the first copy after it', async () => {
    const { log, copier, grow, pages, beginRead } = open();
    grow(2);
    const reader = beginRead();
    log.expectReader(() => reader.isTransaction);

    for (const to of [LIMIT, 2 * LIMIT, 4 * LIMIT - 1]) {
      if (to > 2 * LIMIT) reader.exec('COMMIT');
      grow(to);
      await log.makeRoom();
      await turn();
    }
    const before = pages();
    grow(3);

    expect(new Set(copier.modes)).toEqual(new Set(['PASSIVE']));
    expect([before, pages()]).toEqual([4 * LIMIT - 1, 3]);
  });

  test('has its usual limit again when a reader of the service has ended', async () => {
    const { log, copier, grow } = open();
    let isReading = true;
    log.expectReader(() => isReading);

    for (const [at, to] of [LIMIT, 2 * LIMIT, 3 * LIMIT].entries()) {
      isReading = at === 0;
      copier.hold();
      grow(to);
      void log.makeRoom();
      copier.release();
      await turn();
    }

    expect(copier.modes).toEqual(['PASSIVE', 'PASSIVE', 'RESTART']);
  });

  test('makes writers wait at four times its limit, also for a reader of the service', async () => {
    const { log, copier, grow } = open();
    log.expectReader(() => true);

    grow(4 * LIMIT);
    await log.makeRoom();

    expect(copier.modes).toEqual(['RESTART']);
  });

  test('grows beyond its limit while a reader needs an older state, and retries at intervals', async () => {
    const { log, copier, grow, pages, beginRead } = open();
    grow(2);
    const reader = beginRead();

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

    // The copies start at twice the limit, and after a quarter more.
    expect(tried).toBe(2);
    expect(pages()).toBe(3);
  });

  test('does not block writers below its limit when a copy fails', async () => {
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

  test('rejects units at its limit while it cannot be copied, and retries with each group', async () => {
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

  test('closes the copier', async () => {
    const { log, copier } = open();

    await log.close();

    expect(copier.isClosed).toBe(true);
  });
});

describe('the log of a store', () => {
  test('stays within its limit under many concurrent writers', async () => {
    const { opened, dataDir } = await openStore({ logPages: STEP });
    const organizationId = await anOrganization(opened);

    await write(opened, organizationId, 100);

    // The last commit begins below the limit, and is never split.
    expect(logSize(dataDir)).toBeLessThan((LIMIT + MAX_COMMIT_PAGES) * PAGE_BYTES);
  });

  test('shrinks again after a long read of an older state, for which writers did not wait', async () => {
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
    expect(pagesOf(reader)).toBeLessThan(LIMIT + MAX_COMMIT_PAGES);
    expect(reader.get('SELECT count(*) AS count FROM memories')).toMatchObject({ count: 480 });
  });

  test('is empty after the store is closed during writes', async () => {
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
/** More pages than eight units write. */
const MAX_COMMIT_PAGES = 300;

async function openStore(options: { logPages: number }) {
  const dataDir = folder();
  const opened = await openSqliteStore({ dataDir, ...options });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return { opened, dataDir };
}

/** Runs eight concurrent writers. Each writes its memories one after the other. */
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

function open(step = STEP) {
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
    log: new WriteAheadLog(writer, copier, step),
    copier,
    pages,
    /** Returns a reader of the present state. */
    beginRead: () => {
      const reader = connect();
      reader.exec('BEGIN');
      reader.get('SELECT count(*) FROM texts');
      return reader;
    },
    observe: (observer: (sql: string) => void) => writer.observe(observer),
    /** Adds pages until the log has that many. A log that was copied completely restarts. */
    grow: (to: number) => {
      do writer.run("INSERT INTO texts VALUES ('')");
      while (pages() < to);
    },
  };
}

/** Copies at once, but resolves only when the test permits it. */
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
    // Like the engine, it copies up to the end that the log has at the start.
    this.connection.get(`PRAGMA wal_checkpoint(${mode})`);
    await this.#held;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}
