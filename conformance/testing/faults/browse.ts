import { answering, body, type Fault, memories, on, overlooks, status } from '../fault.js';

const LIST = 'GET /api/organization/memories';
const COUNTS = 'GET /api/organization/memories/counts';

type Json = Record<string, unknown>;

const buckets = (change: (bucket: Json) => Json): Fault =>
  body((json) => {
    json.buckets = (json.buckets as Json[]).map(change);
  });

export const browseFaults: Readonly<Record<string, Fault>> = {
  'browse-needs-a-session': on(COUNTS, status(401, 403)),
  'browse-by-creation': on(LIST, overlooks('direction')),
  'browse-by-change': on(LIST, overlooks('sort')),
  'browse-pages-are-whole': on(
    LIST,
    memories((list, { query }) => (query.has('cursor') ? list.slice(1) : list)),
  ),
  'browse-bounds': on(LIST, overlooks('until')),
  'browse-deleted': on(LIST, overlooks('onlyDeleted')),
  'browse-preview': on(LIST, overlooks('preview')),
  'browse-limit-out-of-bounds-422': on(
    LIST,
    answering((returned) => {
      if (returned.status === 422) returned.status = 200;
    }),
  ),
  'counts-by-interval': on(
    COUNTS,
    buckets((bucket) => ({ ...bucket, count: 1 })),
  ),
  'counts-by-facet': on(
    COUNTS,
    buckets((bucket) => ({ ...bucket, other: 0 })),
  ),
  'counts-too-many-422': on(COUNTS, status(422, 413)),
};
