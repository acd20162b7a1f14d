import { body, type Fault, on, overlooks, pretends, refusal, sending, status } from '../fault.js';

const LIST = 'GET /api/memories/*/versions';
const RESTORE = 'POST /api/memories/*/versions/*/restore';

const restored = pretends(200, {
  id: '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11',
  content: 'x',
  metadata: {},
  createdAt: '2026-03-02T09:15:04.120331Z',
  updatedAt: '2026-03-02T09:15:04.120331Z',
  outcome: 'updated',
});

export const versionFaults: Readonly<Record<string, Fault>> = {
  'version-of-a-change': on(
    LIST,
    body((json) => {
      json.versions = [];
    }),
  ),
  'versions-exported': on(
    'GET /api/memories/versions',
    body((json) => {
      json.versions = [];
    }),
  ),
  'versions-newest-first': on(LIST, overlooks('cursor')),
  'version-restored': on(RESTORE, restored),
  'version-restore-conflict-409': on(RESTORE, status(409, 200)),
  'version-unknown-404': on(RESTORE, restored),
  'versions-of-deleted-404': on(
    LIST,
    sending(({ query }) => {
      query.set('includeDeleted', 'true');
    }),
  ),
  'versions-foreign-404': on(
    LIST,
    refusal((json) => {
      json.error = 'This memory belongs to somebody else';
    }),
  ),
};
