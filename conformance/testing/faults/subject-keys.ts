import { body, type Fault, memories, on, overlooks, pretends, refusal, sending } from '../fault.js';

const INGEST = 'POST /api/memories';
const UPSERT = 'PUT /api/memories';
const SETTINGS = '/api/organization/settings';

/** Accepts any type. */
const takesAnyType = overlooks('subjectKey');

export const subjectKeyFaults: Readonly<Record<string, Fault>> = {
  'subject-key-stored': on(
    'GET /api/memories/*',
    body((json) => (json.subjectKey = 'another')),
  ),
  'subject-key-shared': on('GET /api/memories/recent', overlooks('filter')),
  'subject-key-wrong-type-ingest-422': on(INGEST, takesAnyType),
  'subject-key-wrong-type-upsert-422': on(UPSERT, takesAnyType),
  'subject-key-wrong-type-update-422': on(
    'PATCH /api/memories/*',
    sending(({ body: sent }) => (sent.subjectKey = 'any')),
  ),
  'subject-key-wrong-type-batch-item': on(
    'POST /api/memories/batch',
    body((json) => {
      (json.results as { error: { code: string } }[])[0]!.error.code = 'validation_failed';
    }),
  ),
  'subject-key-neither-type-422': on(INGEST, takesAnyType),
  'subject-key-filter-wrong-type-422': on('POST /api/memories/search', overlooks('filter')),
  'subject-key-unset-422': on(
    UPSERT,
    refusal((json) => (json.code = 'validation_failed')),
  ),
  'subject-key-type-kept-while-used': on(
    `PATCH ${SETTINGS}`,
    pretends(200, { subjectKeyType: 'integer', semanticDedupe: true }),
  ),
  'subject-key-setting-told': on(
    `GET ${SETTINGS}`,
    body((json) => (json.subjectKeyType = 'integer')),
  ),
  'subject-key-parts-duplicates': on(INGEST, takesAnyType),
  'subject-key-apart-from-external-key': on(
    'GET /api/memories/recent',
    memories((list) => list.slice(0, 1)),
  ),
};
