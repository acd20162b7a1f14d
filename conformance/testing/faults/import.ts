import { body, type Fault, on, pretends, sending } from '../fault.js';

const IMPORT = 'POST /api/memories/import';

type Item = Record<string, unknown>;

const eachItem = (change: (item: Item) => Item): Fault =>
  sending(({ body: sent }) => {
    if (Array.isArray(sent.items)) sent.items = (sent.items as Item[]).map(change);
  });

export const importFaults: Readonly<Record<string, Fault>> = {
  'import-keeps-times': on(
    IMPORT,
    eachItem(({ createdAt, ...item }) => item),
  ),
  'import-again-changes-nothing': on(
    IMPORT,
    body((json) => {
      json.results = (json.results as Item[]).map((result) => ({ ...result, outcome: 'created' }));
    }),
  ),
  'import-refuses-conflicts-alone': on(
    IMPORT,
    eachItem(({ externalKey, ...item }) => item),
  ),
  'import-not-in-the-future': on(
    IMPORT,
    eachItem((item) => ({ ...item, createdAt: '2021-01-01' })),
  ),
  'import-keeps-versions': on(
    IMPORT,
    eachItem((item) => ('version' in item ? { ...item, version: 1 } : item)),
  ),
  'import-needs-admin': on(IMPORT, pretends(200, { results: [], summary: { ok: 0, failed: 0 } })),
};
