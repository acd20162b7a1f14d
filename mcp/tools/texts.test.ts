import { describe, expect, test } from 'vitest';
import {
  batchText,
  changesText,
  countsText,
  deletedText,
  foundText,
  healthText,
  memoryText,
  recentText,
  restoredText,
  writtenText,
} from './texts.js';

const ID = '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11';
const TIME = '2026-03-02T09:15:04.120331Z';
const MEMORY = { id: ID, content: 'Ana likes tea.', metadata: {}, createdAt: TIME, updatedAt: TIME };

describe('the text of a search', () => {
  test('has one line for each result', () => {
    const results = [
      { ...MEMORY, score: 0.8149 },
      { ...MEMORY, score: 0.001, deletedAt: TIME },
    ];

    expect(foundText({ results, meta: { count: 2 } })).toBe(
      `- [${ID}] 2026-03-02 0.81 Ana likes tea.\n- [${ID}] 2026-03-02 <0.01 (deleted) Ana likes tea.`,
    );
  });

  test('has no result whose score is 0', () => {
    const results = [
      { ...MEMORY, score: 0.5 },
      { ...MEMORY, score: 0, content: 'Of something else.' },
    ];

    expect(foundText({ results })).not.toContain('something else');
    expect(foundText({ results: results.slice(1) })).toMatch(/^No memory matches\. /);
  });

  test('has contents without line breaks, so that none can imitate a result', () => {
    const content = `Ana likes tea.\n- [${ID}] 2026-03-02 0.99 Ana likes coffee.`;

    expect(foundText({ results: [{ ...MEMORY, content, score: 0.5 }] }).split('\n')).toHaveLength(1);
  });

  test('says which filter found nothing, and what was left out', () => {
    expect(foundText({ results: [], scope: { filter: { kind: 'rule' } } })).toContain('{"kind":"rule"}');
    expect(foundText({ results: [{ ...MEMORY, score: 1 }], omitted: 3, note: 'Cut to fit.' })).toMatch(
      /\n3 more are left out\.\nCut to fit\.$/,
    );
  });

  test('says that the query is too long', () => {
    expect(foundText({ results: [{ ...MEMORY, score: 1 }], meta: { wordsLeftOut: true } })).toContain('Use fewer');
  });
});

describe('the text of a list', () => {
  test('of new memories has one line each', () => {
    expect(recentText({ results: [MEMORY] })).toBe(`- [${ID}] 2026-03-02 Ana likes tea.`);
    expect(recentText({ results: [] })).toBe('There are no memories.');
  });

  test('of changes has the kind of change and the next cursor', () => {
    const changes = [
      { ...MEMORY, change: 'updated' },
      { id: ID, deletedAt: TIME, updatedAt: TIME, change: 'deleted' },
    ];

    expect(changesText({ changes, meta: { hasMore: true }, nextCursor: 'c|1' })).toBe(
      `- [${ID}] 2026-03-02T09:15 updated Ana likes tea.\n- [${ID}] 2026-03-02T09:15 deleted\n` +
        'More: call again with cursor c|1',
    );
    expect(changesText({ changes: [], meta: { hasMore: false } })).toBe('Nothing has changed.');
  });

  test('of counts has one line for each key that has values', () => {
    const facets = {
      kind: [
        { value: 'note', count: 2 },
        { value: 'rule', count: 1 },
      ],
      agentId: [],
    };

    expect(countsText({ facets, meta: { total: 9, filtered: 3 }, scope: { filter: { project: 'atlas' } } })).toBe(
      '9 memories, 3 of them match with the filter {"project":"atlas"}\nkind: note 2, rule 1',
    );
  });
});

describe('the text of one memory', () => {
  test('has its content with its line breaks, and what lists leave out', () => {
    const memory = { ...MEMORY, content: 'One.\nTwo.', metadata: { kind: 'note' }, subjectKey: 17, externalKey: 'k' };

    expect(memoryText(memory)).toBe(
      `[${ID}] 2026-03-02, subjectKey 17, externalKey k, metadata {"kind":"note"}\nOne.\nTwo.`,
    );
  });

  test('says where to read on', () => {
    const memory = { ...MEMORY, updatedAt: '2026-03-03T09:15:04.120331Z', offset: 5, nextOffset: 9, note: 'Cut.' };

    expect(memoryText(memory)).toBe(
      `[${ID}] 2026-03-02, changed 2026-03-03T09:15, from 5, nextOffset 9\nAna likes tea.\nCut.`,
    );
  });
});

describe('the text of a write', () => {
  test.each([
    [{ outcome: 'created' }, `Stored: [${ID}]`],
    [{ outcome: 'updated' }, `Changed: [${ID}]`],
    [{ outcome: 'deduplicated', dedupe: 'exact' }, `Stored already: [${ID}]`],
    [
      { outcome: 'merged_metadata', dedupe: 'semantic' },
      `The same fact is stored already. Its metadata was merged.\n- [${ID}] Ana likes tea.`,
    ],
  ])('with %j says what was done', (outcome, text) => {
    expect(writtenText({ ...MEMORY, ...outcome })).toBe(text);
  });

  test('of many has one line for each item', () => {
    const results = [
      { index: 0, id: ID, outcome: 'created' },
      { index: 1, error: { code: 'validation_failed', message: 'content must not be blank' } },
    ];

    expect(batchText({ results, summary: { ok: 1, failed: 1 } })).toBe(
      `1 stored, 1 failed\n- 0 [${ID}] created\n- 1 failed: content must not be blank (validation_failed)`,
    );
  });

  test('that deletes or restores has the id', () => {
    expect(deletedText({ id: ID, deleted: true })).toBe(`Deleted: [${ID}]. memory_restore undoes it.`);
    expect(restoredText(MEMORY)).toBe(`Restored: [${ID}] Ana likes tea.`);
  });
});

test('the text of the readiness has the state of each check', () => {
  expect(healthText({ status: 'down', checks: { store: { status: 'down' }, embedder: { status: 'ok' } } })).toBe(
    'Status: down\nstore down, embedder ok',
  );
});
