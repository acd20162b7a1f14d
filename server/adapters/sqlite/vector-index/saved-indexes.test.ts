import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { NORTH } from '../../../testing/fixtures/memories.js';
import { OrganizationIndex } from './organization-index.js';
import { SavedIndexes } from './saved-indexes.js';
import { quantized } from './scan/quantize.js';
import { plainScan } from './scan/scan.js';
import { ScanThreads } from './scan/scan-threads.js';
import { SpreadMatrix } from './scan/spread-matrix.js';
import { VectorIndexes } from './vector-indexes.js';

const ORG = 1;
const VECTORS = { fingerprint: 'test|axes|8', side: 1 };
const threads = new ScanThreads();
const newMatrix = (dimensions: number) => new SpreadMatrix(dimensions, plainScan, threads);

test('an index is loaded from its file and complete up to the clock of the file', async () => {
  const { archive, fill } = setUp();
  await archive.save(ORG, fill());
  const loaded = new OrganizationIndex(VECTORS, newMatrix);

  expect(await archive.load(ORG, loaded)).toBe(7);
  expect(loaded.active?.size).toBe(1);
});

test('an index is not loaded if a vector is replaced while its file is read', async () => {
  const { archive, fill, ledger } = setUp();
  await archive.save(ORG, fill());
  ledger.afterRead = () => {
    ledger.token = 'of no file';
  };

  expect(await archive.load(ORG, new OrganizationIndex(VECTORS, newMatrix))).toBeUndefined();
});

test('an index is not saved if a vector is replaced while its file is written', async () => {
  const { archive, fill, ledger } = setUp();
  ledger.afterRead = () => {
    ledger.token = 'of no file';
  };

  expect(await archive.save(ORG, fill())).toBe(false);
  expect(ledger.token).toBe('of no file');
});

test('only indexes are saved that reach both the number and the share of changes', async () => {
  const saved: number[] = [];
  const archive = {
    load: async () => 0,
    save: async (org: number) => {
      saved.push(org);
      return true;
    },
    remove: async () => {},
  };
  const source = { searched: () => VECTORS, pending: () => undefined, read: () => [], changes: () => [] };
  const indexes = new VectorIndexes(source, { scan: plainScan, threads }, { archive });
  const change = async (org: number, seqs: readonly number[]) => {
    await indexes.warm(org);
    for (const seq of seqs) {
      indexes.apply(org, { kind: 'put', active: true, seq, createdAt: seq, quantized: quantized(NORTH) });
    }
  };
  const minimum = { changes: 2, share: 0.5 };

  await change(1, [1]);
  await change(2, [1, 2]);
  await change(3, [1, 2, 3, 4, 5, 6]);
  await indexes.save(minimum);
  await change(2, [3]);
  await change(3, [1, 2]);
  await indexes.save(minimum);
  await change(1, [2]);
  await change(3, [7, 8]);
  await indexes.save(minimum);

  expect(saved).toEqual([2, 3, 1, 3]);
});

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'memory-saved-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const ledger = {
    token: undefined as string | undefined,
    afterRead: () => {},
    read: () => {
      const known = { organizationId: 'an-organization', clock: 7, token: ledger.token };
      ledger.afterRead();
      return known;
    },
    replaceToken: async (_org: number, former: string | undefined, token: string) => {
      if (ledger.token !== former) return false;
      ledger.token = token;
      return true;
    },
  };
  const fill = () => {
    const index = new OrganizationIndex(VECTORS, newMatrix);
    index.apply({ kind: 'put', active: true, seq: 1, createdAt: 5, quantized: quantized(NORTH) });
    return index;
  };
  return { archive: new SavedIndexes(folder, ledger, 1), fill, ledger };
}
