import { answering, body, type Fault, memories, on, overlooks, pretends, refusal, status } from '../fault.js';

const RESTORE = 'POST /api/memories/*/restore';
const PURGE = 'POST /api/memories/*/purge';
const CHANGES = 'GET /api/memories/changes';

/** Reports success and does nothing. */
const idle = pretends(204);

export const lifetimeFaults: Readonly<Record<string, Fault>> = {
  'restore-brings-back': on(
    RESTORE,
    body((json) => {
      json.metadata = {};
    }),
  ),
  'restore-is-a-change': on(
    CHANGES,
    memories((list) => list.map((entry) => ({ ...entry, change: 'created' }))),
  ),
  'restore-conflict-409': on(
    RESTORE,
    refusal((json) => {
      json.id = '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11';
    }),
  ),
  'restore-unknown-404': on(PURGE, status(404, 204)),
  'purge-removes': on(PURGE, idle),
  'purge-leaves-a-tombstone': on(CHANGES, overlooks('includeDeleted')),
  'purge-active-409': on(PURGE, idle),
  'upsert-deleted-names-memory': on(
    'PUT /api/memories',
    answering(({ headers }) => headers.delete('x-deleted-memory-id')),
  ),
  'expiry-is-kept': on(
    'GET /api/memories/*',
    body((json) => delete json.expiresAt),
  ),
  'expiry-deletes': on(
    CHANGES,
    memories((list) => list.map((entry) => ({ ...entry, change: 'updated' }))),
  ),
  'expiry-in-the-past-422': on('POST /api/memories', overlooks('expiresAt')),
};
