import { expect, onTestFinished, test } from 'vitest';
import { anOrganization } from '../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import { openDatabase } from '../engine/database.js';
import { openSqliteStore } from '../store.js';
import { forgetIndexFile, indexLedger } from './index-ledger.js';

const ORG = 1;

test('a file becomes the valid one when it replaces the former one', async () => {
  const { ledger } = await setUp();

  const first = await ledger.replaceToken(ORG, undefined, 'first');
  const second = await ledger.replaceToken(ORG, 'first', 'second');

  expect([first, second]).toEqual([true, true]);
  expect(ledger.read(ORG)?.token).toBe('second');
});

test.each(['first', undefined])(
  'a file does not become the valid one if vectors were replaced after the token was %s',
  async (former) => {
    const { ledger, writer } = await setUp();
    if (former !== undefined) await ledger.replaceToken(ORG, undefined, former);

    forgetIndexFile(writer, ORG);
    const replaced = await ledger.replaceToken(ORG, former, 'second');

    expect(replaced).toBe(false);
    expect(['first', 'second', undefined]).not.toContain(ledger.read(ORG)?.token);
  },
);

async function setUp() {
  const dataDir = quickFolder();
  const store = await openSqliteStore({ dataDir });
  await anOrganization(store);
  await store[Symbol.asyncDispose]();
  const { reader, writer, close } = openDatabase(dataDir, () => {});
  onTestFinished(close);
  return { ledger: indexLedger(reader, writer, (work) => work()), writer };
}
