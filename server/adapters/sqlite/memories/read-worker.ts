import { serveReads } from '../engine/threads/serve-orders.js';
import { answer, type ReadAnswer, type ReadOrder } from './heavy-reads.js';
import { packedFound } from './packed-found.js';

/** Runs in a separate thread: executes long reads. */
serveReads((connection, order: ReadOrder, assertWanted): ReadAnswer => {
  const result = answer(connection, order, assertWanted);
  return 'found' in result ? packedFound(result) : result;
});
