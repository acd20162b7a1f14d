import { expect, onTestFinished, test, vi } from 'vitest';
import { anOrganization, store } from '../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import type { SqliteStore } from '../sqlite-store.js';
import { openSqliteStore } from '../store.js';
import { RememberedTokens } from './remembered-tokens.js';

const TOKEN = { credential: {}, standings: [] } as never;

test('remembers tokens over a write of memories, also of those that fill the index of words', async () => {
  const { tokens, tested, organizationId } = await open();
  const contents = Array.from({ length: 130 }, (_, n) => ({ content: `memory ${n}`, metadata: { n } }));

  await store(tested, organizationId, ...contents);

  expect(isRemembered(tokens)).toBe(true);
});

test('forgets tokens after a change of settings', async () => {
  const { tokens, tested, organizationId } = await open();

  await tested.transact(organizationId, async (unit) =>
    unit.saveSettings({ ...(await unit.settings()), keptVersions: 1 }),
  );

  expect(isRemembered(tokens)).toBe(false);
});

test('forgets tokens after a new organization', async () => {
  const { tokens, tested } = await open();

  await anOrganization(tested);

  expect(isRemembered(tokens)).toBe(false);
});

test.each([
  'UPDATE organizations SET settings = ? WHERE key = ?',
  'UPDATE organizations SET clock = ?, settings = ? WHERE key = ?',
  'UPDATE api_tokens SET revoked_at = ? WHERE id = ?',
  'DELETE FROM memberships WHERE org = ?',
  'INSERT INTO memberships (org) VALUES (?)',
  'WITH gone AS (SELECT 1) DELETE FROM api_tokens',
  'SELECT 1; DELETE FROM api_tokens',
])('forgets tokens after %j', (sql) => {
  const tokens = new RememberedTokens();
  tokens.find('digest', undefined, () => TOKEN);

  tokens.note(sql);
  tokens.committed();

  expect(isRemembered(tokens)).toBe(false);
});

interface Opened {
  tokens: RememberedTokens;
  tested: SqliteStore;
  organizationId: string;
}

/** Opens a store whose cache has one token. */
async function open(): Promise<Opened> {
  const note = vi.spyOn(RememberedTokens.prototype, 'note');
  onTestFinished(() => note.mockRestore());
  const tested = await openSqliteStore({ dataDir: quickFolder() });
  onTestFinished(() => tested[Symbol.asyncDispose]());
  const organizationId = await anOrganization(tested);
  await store(tested, organizationId, {});
  const tokens = note.mock.contexts[0] as RememberedTokens;
  tokens.find('digest', undefined, () => TOKEN);
  return { tokens, tested, organizationId };
}

function isRemembered(tokens: RememberedTokens): boolean {
  return tokens.find('digest', undefined, () => undefined) !== undefined;
}
