import { body, type Fault, on, overlooks, pretends, refusal, status } from '../fault.js';

const LIST = 'GET /api/documents';
const READ = 'GET /api/documents/*';
const DELETE = 'DELETE /api/documents/*';

/** Changes the content of documents. */
function rewrites(change: (content: string) => string): Fault {
  return body((json) => {
    json.content = change(String(json.content));
  });
}

export const documentFaults: Readonly<Record<string, Fault>> = {
  'documents-listed': on(
    LIST,
    body((json) => {
      json.documents = (json.documents as object[]).map((document) => ({ ...document, gaps: [] }));
    }),
  ),
  'documents-pages': on(LIST, overlooks('cursor')),
  'documents-wrong-cursor-422': on(LIST, overlooks('cursor')),
  'document-joined': on(
    READ,
    rewrites((content) => content.split(' ').toReversed().join(' ')),
  ),
  'document-gap-marked': on(
    READ,
    rewrites((content) => content.replace(/\n\[.*\]\n/g, '')),
  ),
  'document-newest-chunk': on(
    READ,
    rewrites(() => 'old'),
  ),
  'document-from': on(READ, overlooks('from')),
  'document-deleted': on(DELETE, (sent, forward) =>
    pretends(200, { documentId: sent.path.split('/').at(-1), deleted: 2, remaining: 0 })(sent, forward),
  ),
  'document-unknown-404': on('* /api/documents/*', status(404, 422)),
  'document-foreign-404': on(
    '* /api/documents/*',
    refusal((json) => {
      json.error = 'This document belongs to somebody else';
    }),
  ),
};
