import { body, type Fault, on, pretends, refusal } from '../fault.js';

const DELETES = 'POST /api/memories/delete';

/** Reports success and does nothing. */
function idle(deleted: number): Fault {
  return on(DELETES, pretends(200, { deleted, missing: [], remaining: 0 }));
}

export const deleteManyFaults: Readonly<Record<string, Fault>> = {
  'delete-many-by-ids': idle(2),
  'delete-many-missing': on(
    DELETES,
    body((json) => {
      json.missing = [];
    }),
  ),
  'delete-many-by-filter': idle(3),
  'delete-many-count-409': on(
    DELETES,
    refusal((json) => {
      json.count = 3;
    }),
  ),
};
