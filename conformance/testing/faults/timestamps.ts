import { body, type Fault, memories, on } from '../fault.js';

const setsBack = (json: Record<string, unknown>, name: string) => {
  json[name] = '2020-01-01T00:00:00.000000Z';
};
const createsAgain = body((json) => {
  json.createdAt = json.updatedAt;
});

export const timestampFaults: Readonly<Record<string, Fault>> = {
  'update-keeps-created-at': on('PUT /api/memories/*', createsAgain),
  'update-is-always-later': on(
    'GET /api/memories/*',
    body((json) => {
      json.updatedAt = json.createdAt;
    }),
  ),
  'restore-keeps-created-at': on('POST /api/memories/*/restore', createsAgain),
  'ingest-created-at-is-now': on(
    'POST /api/memories',
    body((json) => {
      setsBack(json, 'createdAt');
      setsBack(json, 'updatedAt');
    }),
  ),
  'reads-agree-on-times': on(
    'POST /api/memories/search',
    memories((list) => list.map((memory) => ({ ...memory, updatedAt: memory.createdAt }))),
  ),
  'changes-agree-on-times': on(
    'GET /api/memories/changes',
    memories((list) => list.map((memory) => ({ ...memory, createdAt: memory.updatedAt }))),
  ),
};
