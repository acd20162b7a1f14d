import { body, type Fault, memories, on, overlooks, sending } from '../fault.js';

const CHANGES = 'GET /api/memories/changes';

const entries = (change: (entry: Record<string, unknown>) => Record<string, unknown>): Fault =>
  on(
    CHANGES,
    memories((list) => list.map(change)),
  );
const answers = (change: (json: Record<string, unknown>) => void): Fault => on(CHANGES, body(change));
const fills = (name: string, value: string): Fault =>
  on(
    CHANGES,
    sending(({ query }) => query.set(name, value)),
  );

export const changesFaults: Readonly<Record<string, Fault>> = {
  'changes-created': entries(({ externalKey, ...entry }) => entry),
  'changes-updated': entries((entry) => ({ ...entry, change: 'created' })),
  'changes-deleted': on(CHANGES, overlooks('includeDeleted')),
  'changes-deleted-without-content': entries((entry) => ({ ...entry, content: 'what was deleted' })),
  'changes-since-is-required': fills('since', '2020-01-01T00:00:00Z'),
  'changes-since-is-a-time': fills('since', '2020-01-01T00:00:00Z'),
  'changes-since-bounds': fills('since', '2020-01-01T00:00:00Z'),
  'changes-in-order': on(
    CHANGES,
    memories((list) => [...list].reverse()),
  ),
  'changes-limit': on(CHANGES, overlooks('limit')),
  'changes-default-limit': on(
    CHANGES,
    sending(({ query }) => {
      if (!query.has('limit')) query.set('limit', '50');
    }),
  ),
  'changes-limit-out-of-bounds-422': on(CHANGES, overlooks('limit')),
  'changes-meta-count': answers((json) => {
    json.meta = { count: 0, hasMore: false };
  }),
  'changes-cursor-shape': answers((json) => {
    json.nextCursor = 'b2Zmc2V0PTI=|00000000-0000-7000-8000-000000000000';
  }),
  'changes-pages-are-whole': on(
    CHANGES,
    memories((list, { query }) => (query.has('cursor') ? list.slice(1) : list)),
  ),
  'changes-cursor-goes-on': answers((json) => {
    if ((json.changes as unknown[]).length === 0) delete json.nextCursor;
  }),
  'changes-wrong-cursor-422': on(CHANGES, overlooks('cursor')),
  'changes-updated-at-grows': entries((entry) => ({ ...entry, updatedAt: '2026-03-02T09:15:04.120331Z' })),
  'changes-has-no-vector': entries((entry) => ({ ...entry, vector: [1, 2, 3, 4, 5, 6, 7, 8] })),
};
