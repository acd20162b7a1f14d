import { body, type Fault, memories, on, overlooks, pretends, sending, status } from '../fault.js';

const BATCH = 'POST /api/memories/batch';
const RECENT = 'GET /api/memories/recent';

type Item = Record<string, unknown>;

const items = (change: (list: Item[]) => Item[]): Fault =>
  sending(({ body: sent }) => {
    if (Array.isArray(sent.items)) sent.items = change(sent.items as Item[]);
  });
const eachItem = (change: (item: Item) => Item): Fault => items((list) => list.map(change));
const entries = (change: (entry: Item) => Item): Fault => memories((list) => list.map(change));
const summary = (ok: number, failed: number): Fault =>
  body((json) => {
    json.summary = { ok, failed };
  });
const nothing = pretends(200, { results: [], summary: { ok: 0, failed: 0 } });

/** Stores what it rejects. */
const storesAnyway: Fault = async (sent, forward) => {
  const refused = await forward(sent);
  await forward({ ...sent, body: { items: (sent.body.items as Item[]).slice(0, 2) } });
  return refused;
};

export const batchFaults: Readonly<Record<string, Fault>> = {
  'batch-200': on(BATCH, summary(1, 1)),
  'batch-success-entry': on(
    BATCH,
    entries((entry) => ({ ...entry, metadata: {} })),
  ),
  'batch-failure-entry': on(
    BATCH,
    entries((entry) => ({ ...entry, error: { code: 'x', message: 'x', stack: 'at line 1' } })),
  ),
  'batch-indexes': on(
    BATCH,
    entries((entry) => ({ ...entry, index: Number(entry.index) + 1 })),
  ),
  'batch-summary-counts': on(BATCH, summary(3, 0)),
  'batch-items-are-stored': on(
    RECENT,
    memories((list) => list.slice(1)),
  ),
  'batch-deduplicates-plain-items': on(
    BATCH,
    eachItem((item) => ({ ...item, content: `${String(item.content)} ${Math.random()}` })),
  ),
  'batch-deduplicates-within': on(
    BATCH,
    items((list) => list.map((item, at) => ({ ...item, content: `${String(item.content)} ${at}` }))),
  ),
  'batch-upserts-keyed-items': on(
    BATCH,
    eachItem(({ externalKey, ...item }) => item),
  ),
  'batch-keyed-items-have-scopes': on(
    BATCH,
    eachItem(({ scope, ...item }) => item),
  ),
  'batch-deleted-key-fails': on(BATCH, summary(2, 0)),
  'batch-continues-by-default': on(
    BATCH,
    sending(({ body: sent }) => {
      sent.continueOnError ??= false;
    }),
  ),
  'batch-stops-on-error': on(BATCH, overlooks('continueOnError')),
  'batch-keeps-what-went-before': on('GET /api/memories/*', status(200, 404)),
  'batch-of-maximal-size': on(
    BATCH,
    items((list) => list.slice(1)),
  ),
  'batch-too-large-413': on(
    BATCH,
    items((list) => list.slice(0, 50)),
  ),
  'batch-too-large-stores-nothing': on(BATCH, storesAnyway),
  'batch-items-are-required': on(BATCH, nothing),
  'batch-codes-are-those-of-one': on(
    BATCH,
    entries((entry) => ({ ...entry, error: { code: 'validation_failed', message: 'no' } })),
  ),
};
