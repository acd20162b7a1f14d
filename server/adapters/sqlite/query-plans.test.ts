import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseFilter } from '../../domain/filter/filter.js';
import { type PlanStep, plansOf, recordStatements, sqlTexts } from '../../testing/embedded/statements.js';
import { TestThreads } from '../../testing/embedded/test-threads.js';
import {
  auditQueries,
  FILTERS,
  useDocuments,
  useEverything,
  useFolds,
  useManyWords,
  useWhileScanning,
  useWithoutIndex,
} from '../../testing/embedded/use-everything.js';
import { useOutbound } from '../../testing/embedded/use-everything-else.js';
import { anOrganization, store } from '../../testing/fixtures/memories.js';
import { quickFolder } from '../../testing/processes/quick-folder.js';
import { Connection } from './engine/connection.js';
import type { SqliteStore } from './sqlite-store.js';
import { openSqliteStore } from './store.js';

interface Explained {
  statements: ReadonlySet<string>;
  plans: PlanStep[];
}

/** Full scans that are permitted, with the reason why they stay short. */
const SCANNED: Readonly<Record<string, RegExp>> = {
  'a list that the statement was given': /^SCAN (json_each|j) VIRTUAL TABLE INDEX 1:$/,
  'the rows that a subquery of the same statement found': /^SCAN (\(subquery-\d+\)|k|lanes)$/,
  'the given values': /^SCAN (CONSTANT ROW|o|\d+-ROW VALUES CLAUSE)$/,
  'an index of words, by one word': /^SCAN (keyword_terms|keyword_instances) VIRTUAL TABLE INDEX 259:$/,
  'one memory in the index of words, by its seq': /^SCAN keywords VIRTUAL TABLE INDEX 0:=$/,
  'the few facets and values that are not in their indexes yet': /^SCAN metadata_backlog$/,
  'the few audit events that are not in the indexed table yet': /^SCAN audit_backlog$/,
  'a table of one row': /^SCAN (keyword_state|probes|identity)$/,
  'a table of two rows': /^SCAN sqlite_sequence$/,
  'the few organizations whose data is being removed': /^SCAN d$/,
  'an index of only the jobs that run or were given up': /^SCAN jobs USING INDEX jobs_(locked|given_up)$/,
};

/** Statements that may scan completely, with the reason. */
const SCANNING: Readonly<Record<string, RegExp>> = {
  'the start reads all organizations':
    /^SELECT id FROM current_organizations (WHERE settings ->> 'embeddingFingerprint' <> \? )?ORDER BY key$/,
  'the start reads the names of all tables': /^SELECT name FROM sqlite_schema /,
  'the metrics count the remaining jobs, and completed jobs are deleted': /FROM jobs GROUP BY name$/,
  'nothing is read if nothing can match': /FROM memories m WHERE FALSE$/,
  'a subquery reads the active memories and then the deleted ones':
    /FROM \(SELECT m\.seq, m\.org, .+ FROM memories m WHERE m\.deleted_at IS NULL AND m\.org = \? .+ UNION ALL .+\) f WHERE TRUE/,
};

/** Checks, backups and restores run in separate processes, and read everything. */
const READ_ALL = ['check.ts', 'backup-files.ts', 'restore.ts'];

describe('the statements of the store', () => {
  test('scan no table or index completely, and include every piece of SQL in the source', async () => {
    const { statements, plans } = await explained(
      useEverything,
      useWithoutIndex,
      useEverything,
      useWhileScanning,
      useFolds,
      useManyWords,
    );

    const unseen = sqlTexts(import.meta.dirname).filter(
      ({ file, isIn }) => !READ_ALL.includes(basename(file)) && ![...statements].some(isIn),
    );
    const scans = plans.filter(({ sql, detail }) => detail.startsWith('SCAN') && !isAllowed(sql, detail));

    expect(unseen.map(({ file, text }) => `${basename(file)}: ${text}`)).toEqual([]);
    expect(scans).toEqual([]);
  });

  test('are planned only once for all limits', async () => {
    const { statements } = await explained(useEverything);

    expect([...statements].filter((sql) => /LIMIT \?/.test(sql))).toEqual([]);
  });

  test('sort nothing for which an index has the order', async () => {
    const { statements, plans } = await explained(async (opened) => {
      const organizationId = await anOrganization(opened);
      const [, memory] = await store(opened, organizationId, { metadata: { kind: 'a' } }, { metadata: { kind: 'a' } });
      vi.clearAllMocks();
      for (const filter of FILTERS.slice(0, 2)) {
        for (const order of ['oldest', 'newest'] as const) {
          const after = { at: memory!.createdAt - 1, id: memory!.id };
          await opened.memories.list(organizationId, { filter, includeDeleted: false, order, after, limit: 20 });
        }
      }
    });

    const lists = [...statements].filter((sql) => / AS metadata_bytes FROM .* ORDER BY /.test(sql));
    expect(lists).toHaveLength(4);
    expect(plans.filter(({ sql, detail }) => lists.includes(sql) && detail.includes('TEMP B-TREE'))).toEqual([]);
  });

  test('begin a later page of a list at its position, not at the bound of the list', async () => {
    const { statements, plans } = await explained(async (opened) => {
      const organizationId = await anOrganization(opened);
      const [memory] = await store(opened, organizationId, { metadata: {} });
      vi.clearAllMocks();
      const filter = parseFilter({}, {}, 'json');
      const after = { at: memory!.createdAt, id: memory!.id };
      for (const [order, bound] of [
        ['oldest', { since: after.at }],
        ['changed', { since: after.at - 1 }],
        ['newest', { until: after.at + 1 }],
        ['lastChanged', { until: after.at + 1 }],
      ] as const) {
        await opened.memories.list(organizationId, {
          filter,
          includeDeleted: false,
          order,
          ...bound,
          after,
          limit: 20,
        });
      }
    });

    const lists = [...statements].filter((sql) => / AS metadata_bytes FROM .* ORDER BY /.test(sql));
    const searches = plans.filter(({ sql, detail }) => lists.includes(sql) && detail.startsWith('SEARCH'));
    expect(searches.map(({ detail }) => detail.replace(/^.* \(org=\? AND /, ''))).toEqual([
      '(created_at,id)>(?,?))',
      '(updated_at,id)>(?,?))',
      '(created_at,id)<(?,?))',
      '(updated_at,id)<(?,?))',
    ]);
  });

  test('find the values of a range with the index of values, between both bounds', async () => {
    const { statements, plans } = await explained(async (opened) => {
      const organizationId = await anOrganization(opened);
      await store(opened, organizationId, { metadata: { n: 1 } });
      vi.clearAllMocks();
      for (const bounds of [{ gte: 1 }, { lt: 'a' }]) {
        const filter = parseFilter({ where: { n: bounds } }, {}, 'json');
        await opened.memories.list(organizationId, { filter, includeDeleted: false, order: 'oldest', limit: 20 });
      }
    });

    const counts = [...statements].filter(
      (sql) => sql.startsWith('SELECT count(*)') && sql.includes('metadata_values'),
    );
    const details = plans.filter(({ sql }) => counts.includes(sql)).map(({ detail }) => detail);
    const searches = [
      'SEARCH f USING COVERING INDEX metadata_values_by_value (org=? AND live=? AND key=? AND value>? AND value<?)',
      'SEARCH f USING PRIMARY KEY (org=? AND live=? AND facet=? AND key=?)',
    ];
    expect(details.filter((detail) => detail.startsWith('SEARCH'))).toEqual([...searches, ...searches]);
  });

  test('read the audit log in the order of the index for each filter', async () => {
    const { statements, plans } = await explained(async (opened) => {
      const organizationId = await anOrganization(opened);
      for (const query of auditQueries()) await opened.audit.list(organizationId, query);
    });

    const reads = [...statements].filter((sql) => /FROM audit_events/.test(sql));
    const ofEvents = plans.filter(({ sql, detail }) => reads.includes(sql) && !/json_each|SUBQUERY/.test(detail));
    expect(reads).toHaveLength(24);
    expect(ofEvents.filter(({ detail }) => /^SCAN|TEMP B-TREE/.test(detail))).toEqual([]);
  });

  test('of outbound webhooks use an index and sort nothing', async () => {
    const { statements, plans } = await explained(async (opened) => useOutbound(opened, await anOrganization(opened)));

    const outbound = [...statements].filter((sql) => /FROM outbound_|UPDATE outbound_/.test(sql));
    expect(outbound).toHaveLength(19);
    expect(plans.filter(({ sql, detail }) => outbound.includes(sql) && /^SCAN|TEMP B-TREE/.test(detail))).toEqual([]);
  });

  test('find equal words with the index of folds', async () => {
    const { plans } = await explained(async (opened) => {
      const organizationId = await anOrganization(opened);
      await opened.transact(organizationId, (unit) => unit.findActiveByWords({ subjectKey: 1 }, 'words', 5));
    });

    const details = plans.filter(({ sql }) => sql.includes('words_hash = ?')).map(({ detail }) => detail);
    expect(details[0]).toMatch(/USING INDEX memories_by_fold /);
  });

  test('find equal folds with the index of folds only, in its order', async () => {
    const { statements, plans } = await explained(useFolds);

    const lookups = [...statements].filter((sql) => sql.includes('words_hash = ?') && sql.startsWith('SELECT seq'));
    const details = plans.filter(({ sql }) => lookups.includes(sql)).map(({ detail }) => detail);
    expect(lookups).toHaveLength(1);
    const index =
      /^SEARCH memories USING (COVERING )?INDEX memories_by_fold \(org=\? AND subject_key=\? AND words_hash=\? AND chunk=\? AND fold_hash=\?\)$/;
    expect(details).toEqual([expect.stringMatching(index)]);
  });

  test('of documents use the index of documents, in its order', async () => {
    const { statements, plans } = await explained(async (opened) => useDocuments(opened, await anOrganization(opened)));

    const lists = [...statements].filter((sql) => sql.includes('ORDER BY subject_key, document, id'));
    const details = plans.filter(({ sql }) => lists.includes(sql)).map(({ detail }) => detail);
    const range = (columns: string) => `SEARCH memories USING INDEX memories_by_document (org=? AND ${columns})`;
    expect(details.sort()).toEqual([
      range('(subject_key,document,id)>(?,?,?)'),
      range('subject_key=? AND (document,id)>(?,?)'),
      range('subject_key=? AND document=? AND id>?'),
    ]);
  });

  test('find the neighbours of a chunk with the index of chunks', async () => {
    const { plans } = await explained(useEverything);

    const lookups = plans.filter(({ sql, detail }) => sql.includes('chunk = j.value') && detail.includes('org=?'));
    const index = 'USING INDEX memories_by_chunk (org=? AND subject_key=? AND chunk=?)';
    expect(lookups.map(({ detail }) => detail)).toEqual([`SEARCH memories ${index}`]);
  });

  test('find ended sessions and sign-in links with the indexes of their ends', async () => {
    const { statements, plans } = await explained(async (opened) => {
      await opened.accounts.deleteEndedSignIns(1, 9);
    });

    const deleting = [...statements].filter((sql) => /^DELETE FROM (sessions|sign_in_links) /.test(sql));
    const details = plans.filter(({ sql }) => deleting.includes(sql)).map(({ detail }) => detail);
    expect(details.filter((detail) => !detail.startsWith('LIST SUBQUERY')).sort()).toEqual([
      'SEARCH sessions USING COVERING INDEX sessions_by_end (expires_at<?)',
      'SEARCH sessions USING PRIMARY KEY (digest=?)',
      'SEARCH sign_in_links USING COVERING INDEX sign_in_links_by_end (expires_at<?)',
      'SEARCH sign_in_links USING PRIMARY KEY (digest=?)',
    ]);
  });

  test('find accepted and revoked invitations with the index of their times, in its order', async () => {
    const { statements, plans } = await explained(async (opened) => {
      await opened.accounts.deleteSettledInvitations(1, 9);
    });

    const deleting = [...statements].filter((sql) => sql.startsWith('DELETE FROM invitations '));
    const details = plans.filter(({ sql }) => deleting.includes(sql)).map(({ detail }) => detail);
    expect(details.filter((detail) => !detail.startsWith('LIST SUBQUERY')).sort()).toEqual([
      'SEARCH invitations USING COVERING INDEX invitations_by_settlement (<expr><?)',
      'SEARCH invitations USING PRIMARY KEY (id=?)',
    ]);
  });

  test('find old billing events with the index of times', async () => {
    const { statements, plans } = await explained(async (opened) => {
      const organizationId = await anOrganization(opened);
      await opened.transact(organizationId, (unit) => unit.subscriptions.forgetEvents(1, 9));
    });

    const forgetting = [...statements].filter((sql) => sql.startsWith('DELETE FROM billing_events'));
    const details = plans.filter(({ sql }) => forgetting.includes(sql)).map(({ detail }) => detail);
    expect(details).toContainEqual(expect.stringContaining('billing_events_by_time (org=? AND taken_in_at<?)'));
  });
});

/** Opens a store for each use, one after the other, and returns all statements and their plans. */
async function explained(
  ...uses: readonly ((opened: SqliteStore, threads: TestThreads) => Promise<void>)[]
): Promise<Explained> {
  const dataDir = quickFolder();
  await using threads = new TestThreads(250);
  const recorded = recordStatements();
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  for (const use of uses) {
    // An index that the main thread builds hands its rows to the threads at once.
    const built = { indexFileRows: 1, smallIndexRows: 1_000 };
    const opened = await openSqliteStore({ dataDir, ...built, scanThreads: threads.threads });
    onTestFinished(() => opened[Symbol.asyncDispose]());
    await use(opened, threads);
    await opened[Symbol.asyncDispose]();
  }
  const statements = recorded();
  const connection = new Connection(join(dataDir, 'memory.db'), { readOnly: true });
  onTestFinished(() => connection.close());
  return { statements, plans: plansOf(connection, statements) };
}

function isAllowed(sql: string, detail: string): boolean {
  const matches = (patterns: Readonly<Record<string, RegExp>>, text: string) =>
    Object.values(patterns).some((pattern) => pattern.test(text));
  return matches(SCANNED, detail) || matches(SCANNING, sql);
}
