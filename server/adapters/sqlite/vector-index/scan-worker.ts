import { parentPort } from 'node:worker_threads';
import type { IndexChunk } from './index-file.js';
import { VectorMatrix } from './matrix.js';
import { loadScan } from './scan.js';
import { type Answers, type FromThread, type Order, packed, type Question, type ToThread } from './scan-messages.js';

/** The rows of matrices that are scanned in this thread, which holds nothing else. */
const matrices = new Map<number, VectorMatrix>();
const scan = await loadScan();

parentPort?.on('message', (message: ToThread) => {
  if (message.kind !== 'question') return follow(message);
  const answer = answerOf(message.question);
  const reply: FromThread = { number: message.number, answer };
  const buffers = answer instanceof Float64Array ? [answer] : [answer.seqs, answer.createdAts, answer.codes];
  // Nobody holds what was made for the answer.
  parentPort?.postMessage(reply, buffers.map(({ buffer }) => buffer) as ArrayBuffer[]);
});

function follow(order: Order): void {
  if (order.kind === 'drop') {
    matrices.delete(order.matrix);
    return;
  }
  let matrix = matrices.get(order.matrix);
  if (!matrix) {
    matrix = new VectorMatrix(order.dimensions, scan);
    matrices.set(order.matrix, matrix);
  }
  matrix.change(order.changes);
}

function answerOf(question: Question): Answers[Question['kind']] {
  const matrix = matrices.get(question.matrix);
  if (question.kind === 'copy') return matrix?.copy(question.block, question.rows) ?? emptyChunk();
  if (!matrix) return packed([]);
  const { query, k } = question;
  return packed(question.kind === 'search' ? matrix.search(query, k) : matrix.searchOnly(query, question.seqs, k));
}

function emptyChunk(): IndexChunk {
  return { seqs: new Float64Array(), createdAts: new Float64Array(), codes: new Int8Array() };
}
