import { type Fault, on, sending } from '../fault.js';

/** Treats unknown values as false. */
const lenient = (name: string): Fault =>
  sending(({ query, body: sent }) => {
    const isTrue = (value: unknown) => value === true || value === 'true' || value === '1';
    if (query.has(name)) query.set(name, String(isTrue(query.get(name))));
    if (name in sent) sent[name] = isTrue(sent[name]);
  });

export const booleanFaults: Readonly<Record<string, Fault>> = {
  'boolean-include-deleted-recent': on('GET /api/memories/recent', lenient('includeDeleted')),
  'boolean-include-deleted-export': on('GET /api/memories/export', lenient('includeDeleted')),
  'boolean-include-deleted-stats': on('GET /api/memories/stats', lenient('includeDeleted')),
  'boolean-include-deleted-changes': on('GET /api/memories/changes', lenient('includeDeleted')),
  'boolean-include-deleted-search': on('POST /api/memories/search', lenient('includeDeleted')),
  'boolean-continue-on-error': on('POST /api/memories/batch', lenient('continueOnError')),
  'boolean-metadata-replace': on('PATCH /api/memories/*', lenient('metadataReplace')),
};
