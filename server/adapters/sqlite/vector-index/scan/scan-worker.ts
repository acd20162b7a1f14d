import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { VectorMatrix } from './matrix.js';
import { loadScan } from './scan.js';
import { type FromThread, packed, type ThreadSearch, type ToThread } from './scan-messages.js';

/** Maximum number of searches answered together. The first waits for the others. */
const MAX_SEARCHES = 8;

/** The matrices with the rows that this thread scans. */
const matrices = new Map<number, VectorMatrix>();
const scan = await loadScan();

parentPort?.on('message', handleAll);

/** Handles all messages that have arrived. Consecutive searches of a matrix share one scan. */
function handleAll(first: ToThread): void {
  let searches: ThreadSearch[] = [];
  const answerThem = () => {
    answer(searches);
    searches = [];
  };
  for (let message: ToThread | undefined = first; message; message = next()) {
    if (message.kind === 'search' && message.matrix === (searches[0] ?? message).matrix) {
      searches.push(message);
    } else {
      answerThem();
      if (message.kind === 'search') searches.push(message);
      else apply(message);
    }
    if (searches.length === MAX_SEARCHES) answerThem();
  }
  answerThem();
}

function next(): ToThread | undefined {
  return parentPort ? receiveMessageOnPort(parentPort)?.message : undefined;
}

function apply(message: Exclude<ToThread, ThreadSearch>): void {
  if (message.kind === 'change') matrixOf(message).change(message.changes);
  else if (message.kind === 'append') matrixOf(message).append(message.rows);
  else matrices.delete(message.matrix);
}

/** Returns a matrix. Creates it if it is new. */
function matrixOf({ matrix: key, dimensions }: { matrix: number; dimensions: number }): VectorMatrix {
  let matrix = matrices.get(key);
  if (!matrix) {
    matrix = new VectorMatrix(dimensions, scan);
    matrices.set(key, matrix);
  }
  return matrix;
}

/** @param searches all of one matrix */
function answer(searches: readonly ThreadSearch[]): void {
  const [first] = searches;
  if (!first) return;
  const results = matrices.get(first.matrix)?.searchAll(searches) ?? [];
  for (const [index, { number }] of searches.entries()) {
    const found = packed(results[index] ?? []);
    const reply: FromThread = { number, found };
    parentPort?.postMessage(reply, [found.buffer]);
  }
}
