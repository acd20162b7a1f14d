import { parentPort } from 'node:worker_threads';
import { VectorMatrix } from './matrix.js';
import type { RowChanges } from './row-changes.js';
import { loadScan } from './scan.js';
import { type FromThread, packed, type ToThread } from './scan-messages.js';

/** The rows of matrices that are scanned in this thread. */
const matrices = new Map<number, VectorMatrix>();
const scan = await loadScan();

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'drop') matrices.delete(message.matrix);
  else if (message.kind === 'change') change(message.matrix, message.dimensions, message.changes);
  else answer(message);
});

function change(key: number, dimensions: number, changes: RowChanges): void {
  let matrix = matrices.get(key);
  if (!matrix) {
    matrix = new VectorMatrix(dimensions, scan);
    matrices.set(key, matrix);
  }
  matrix.change(changes);
}

function answer({ number, matrix, query, k }: ToThread & { kind: 'search' }): void {
  const found = packed(matrices.get(matrix)?.search(query, k) ?? []);
  const reply: FromThread = { number, found };
  parentPort?.postMessage(reply, [found.buffer]);
}
