import { answering, type Fault, memories, on, sending } from '../fault.js';

const INGEST = 'POST /api/memories';
const UPSERT = 'PUT /api/memories';

const tellsContentsApart = sending(({ body: sent }) => {
  sent.content = `${String(sent.content)} ${Math.random()}`;
});
const tellsKeysApart = sending(({ body: sent }) => {
  sent.externalKey = `${String(sent.externalKey)} ${Math.random()}`;
});

export const raceFaults: Readonly<Record<string, Fault>> = {
  'race-of-equal-ingests': on(INGEST, tellsContentsApart),
  'race-of-equal-upserts': on(UPSERT, tellsContentsApart),
  'race-of-upserts-of-a-key': on(UPSERT, tellsKeysApart),
  'race-of-metadata-merges': on(
    INGEST,
    sending(({ body: sent }) => {
      delete (sent.metadata as Record<string, unknown>).key7;
    }),
  ),
  'race-of-deletes': on(
    'DELETE /api/memories/*',
    answering((returned) => {
      if (returned.status !== 404) return;
      returned.status = 204;
      returned.json = undefined;
      returned.text = '';
    }),
  ),
  'race-of-writers-and-feed': on(
    'GET /api/memories/changes',
    memories((list) => list.slice(0, 2)),
  ),
};
