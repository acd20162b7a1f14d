import { writeSync } from 'node:fs';
import { v7 } from 'uuid';
import { openDatabase } from '../adapters/sqlite/engine/database.js';
import { wallClock } from '../adapters/sqlite/engine/wall-clock.js';
import { SqliteStore } from '../adapters/sqlite/sqlite-store.js';
import { openSqliteStore } from '../adapters/sqlite/store.js';
import { loadScan } from '../adapters/sqlite/vector-index/scan/scan.js';
import type { AuditAction } from '../domain/account/audit-event.js';
import type { Metadata } from '../domain/memory/memory.js';
import type { Store } from '../ports/store.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import { createFirstOrganization } from '../services/organization/first-organization.js';
import { FINGERPRINT, indexedBy, insertInto } from '../testing/fixtures/memories.js';
import { BATCH_SIZE, contentOf, PERIOD } from './claims.js';

/**
 * Writes into a data folder and prints what is durable. Tests start it as a process to record its system calls.
 *
 * Arguments: the data folder; the number of pages after which the log is copied, if not the default; and pragmas for
 * the writing connection, which change the store's own rules.
 */
const [dataDir = '', pages = '', pragmas = ''] = process.argv.slice(2);
const logPages = pages === '' ? undefined : Number(pages);

/** Writers at once in each round. The store is closed and opened again between rounds. */
const ROUNDS = [1, 8, 3, 16, 8];
const STEPS = 10;

/** The exit code of this process when the store can no longer guarantee anything. */
const STOPPED = 70;

interface Written {
  id: string;
  version: number;
}

/** One of several parallel writers. Only it changes its memories, so their versions are acknowledged in order. */
class MemoryWriter {
  readonly #own: Written[] = [];

  constructor(
    private readonly store: Store,
    private readonly organizationId: string,
  ) {}

  async step(index: number): Promise<void> {
    if (index % 5 === 2) return this.#change({});
    if (index % 10 === 6) return this.#change({ deleted: true });
    if (index % 10 === 9) return this.#insert(BATCH_SIZE, { batch: v7() });
    return this.#insert(1, {});
  }

  async #insert(count: number, metadata: Metadata): Promise<void> {
    const written = Array.from({ length: count }, () => ({ id: v7(), version: 1 }));
    await this.store.transact(this.organizationId, async (unit) => {
      for (const { id, version } of written) {
        await insertInto(unit, { id, content: contentOf(id, version), metadata: { ...metadata, version } });
        await audit(unit, 'memory.ingest', id);
      }
      await unit.countIngest(PERIOD, count);
    });
    acknowledge(...written.map(({ id, version }) => `memory ${id} ${version}`));
    this.#own.push(...written);
  }

  async #change(metadata: { deleted?: true }): Promise<void> {
    const last = metadata.deleted ? this.#own.shift() : this.#own.at(-1);
    if (!last) return;
    last.version += 1;
    const { id, version } = last;
    await this.store.transact(this.organizationId, async (unit) => {
      const current = await unit.findById(id);
      if (!current) throw new Error(`${id} is not stored`);
      const updatedAt = await unit.tick();
      const changed = {
        ...current,
        content: contentOf(id, version),
        metadata: { ...current.metadata, ...metadata, version },
        updatedAt,
        ...(metadata.deleted && { deletedAt: updatedAt }),
      };
      await unit.update(changed, indexedBy(changed));
      await audit(unit, metadata.deleted ? 'memory.delete' : 'memory.update', id);
    });
    acknowledge(`memory ${id} ${version}`);
  }
}

/** The order relative to the disk calls is exact, because this thread makes both. */
function acknowledge(...lines: readonly string[]): void {
  writeSync(1, lines.map((line) => `${line}\n`).join(''));
}

async function audit(unit: UnitOfWork, action: AuditAction, memoryId: string): Promise<void> {
  const occurredAt = await unit.tick();
  const actor = { type: 'system', id: 'writer' } as const;
  await unit.recordAudit({ id: v7(), occurredAt, action, actor, memoryId, source: 'rest', metadata: {} });
}

async function open(): Promise<Store> {
  if (pragmas === '') return openSqliteStore({ dataDir, onFatal, logPages });
  const database = openDatabase(dataDir, onFatal, { logPages });
  database.writer.exec(pragmas);
  return new SqliteStore(database, {
    dataDir,
    scan: loadScan(),
    now: wallClock,
    fault: { error: undefined, tell: onFatal },
  });
}

/** Does the same as the server. */
function onFatal(error: unknown): never {
  console.error(error);
  process.exit(STOPPED);
}

async function organizationOf(store: Store): Promise<string> {
  const [known] = await store.accounts.organizationIds();
  if (known) return known;
  const first = await createFirstOrganization({ store, now: wallClock, newId: () => v7() });
  if (!first) throw new Error('There is no organization, and none was created');
  acknowledge(`organization ${first.organizationId}`);
  await store.transact(first.organizationId, async (unit) => {
    await unit.saveSettings({ ...(await unit.settings()), embeddingFingerprint: FINGERPRINT });
  });
  return first.organizationId;
}

for (const writers of ROUNDS) {
  await using store = await open();
  const organizationId = await organizationOf(store);
  const write = async () => {
    const writer = new MemoryWriter(store, organizationId);
    for (let index = 0; index < STEPS; index += 1) await writer.step(index);
  };
  await Promise.all(Array.from({ length: writers }, write));
}
