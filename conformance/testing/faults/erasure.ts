import { body, type Fault, on, pretends, status } from '../fault.js';

const ERASE = 'POST /api/organization/subject-erasures';
const ERASURE = 'GET /api/organization/subject-erasures/*';
const DONE = {
  id: '0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b90',
  status: 'done',
  requestedAt: '2026-03-05T08:00:00.000000Z',
  finishedAt: '2026-03-05T08:00:02.119000Z',
  counts: { memories: 1, versions: 1, deliveries: 0, auditEvents: 1, inboundMemories: 0 },
  digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
};

/** Reports success and removes nothing. */
const onlySays: Fault = (sent, forward) => {
  const asks = on(ERASE, pretends(202, { ...DONE, status: 'running' }));
  return on(ERASURE, pretends(200, DONE))(sent, (changed) => asks(changed, forward));
};

export const erasureFaults: Readonly<Record<string, Fault>> = {
  'erasure-202': on(ERASE, status(202, 200)),
  'erasure-removes-memories': onlySays,
  'erasure-removes-versions': onlySays,
  'erasure-receipt': on(
    ERASURE,
    body((json) => delete json.digest),
  ),
  'erasure-then-accepts': onlySays,
  'erasure-unknown-404': on(ERASURE, pretends(200, DONE)),
};
