import { serveReads } from '../engine/serve-orders.js';
import { answer, type ReadOrder } from './heavy-reads.js';

/** Runs in a separate thread: executes long reads. */
serveReads((connection, order: ReadOrder, assertWanted) => answer(connection, order, assertWanted));
