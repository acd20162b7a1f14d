import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { lowerPriority } from '../../../../threads/low-priority.js';
import { callNative, endLoading } from '../../../../threads/native-calls.js';
import { SketchHelper } from '../helper/sketch-helper.js';
import { VectorMatrix } from '../matrix.js';
import { NOTHING } from '../matrix-search.js';
import { loadScan, type Scan } from '../scan.js';
import { newSketchKernel } from '../sketches/kernel.js';
import { type FromThread, packed, type ScanThreadData, type ThreadSearch, type ToThread } from './scan-messages.js';

/**
 * Maximum number of searches answered together, of a matrix whose bytes are scanned: they share the time of reading them. The
 * first waits for the others. Searches by sketches have little to share, and each is answered at once.
 */
const MAX_SEARCHES = 8;

/** Time of a part of the work on sketches, and of the pause after it. So they use half of a processor without searches. */
const [WORK_MS, PAUSE_MS] = [1, 1];
/** Time of the work on sketches after answers, in that of the answers. As long as searches wait, no timer fires. */
const WORK_SHARE = 1 / 2;

// Requests come first: a search needs the event loop more than this thread if several clients search.
lowerPriority();

/** The matrices with the rows that this thread scans. */
const matrices = new Map<number, VectorMatrix>();
const loaded = loadScan();
const scan: Scan = (codes, query, k) => callNative(() => loaded(codes, query, k));
const { helperBuffer } = workerData as ScanThreadData;
const helper = helperBuffer && new SketchHelper(helperBuffer);
parentPort?.on('message', (first: ToThread) => {
  handleAll(first);
  planWork();
});
endLoading();

/** Handles all messages that have arrived. Consecutive searches of a matrix may share one scan. */
function handleAll(first: ToThread): void {
  let searches: ThreadSearch[] = [];
  const answerThem = () => {
    const start = performance.now();
    answer(searches);
    searches = [];
    work(WORK_SHARE * (performance.now() - start));
  };
  for (let message: ToThread | undefined = first; message; message = next()) {
    if (message.kind === 'search' && message.matrix === (searches[0] ?? message).matrix) {
      searches.push(message);
    } else {
      answerThem();
      if (message.kind === 'search') searches.push(message);
      else apply(message);
    }
    if (searches.length >= mostTogether(searches[0])) answerThem();
  }
  answerThem();
}

function mostTogether(search: ThreadSearch | undefined): number {
  return search && matrices.get(search.matrix)?.isSketched ? 1 : MAX_SEARCHES;
}

let isWorkPlanned = false;

/** Works on sketches in small parts, so that a search never waits long for one. */
function planWork(): void {
  if (isWorkPlanned) return;
  isWorkPlanned = true;
  setTimeout(() => {
    isWorkPlanned = false;
    if (work(WORK_MS)) planWork();
  }, PAUSE_MS);
}

/** Works for about this time. Returns false if nothing is left to do. */
function work(ms: number): boolean {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    if (!advance()) return false;
  }
  return true;
}

/** Does one part of the work. The matrices take turns, or a large one would delay those of other organizations. */
function advance(): boolean {
  for (const [key, matrix] of matrices) {
    if (!matrix.advance()) continue;
    matrices.delete(key);
    matrices.set(key, matrix);
    return true;
  }
  return false;
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
    matrix = new VectorMatrix(dimensions, scan, { sketches: { newKernel: newSketchKernel, scanner: helper } });
    matrices.set(key, matrix);
  }
  return matrix;
}

/** @param searches all of one matrix */
function answer(searches: readonly ThreadSearch[]): void {
  const [first] = searches;
  if (!first) return;
  if (helper) helper.isWanted = searches.every(({ isHelped }) => isHelped);
  const results = matrices.get(first.matrix)?.searchAll(searches) ?? [];
  for (const [index, { number }] of searches.entries()) {
    const { candidates, ...rest } = results[index] ?? NOTHING;
    const found = packed(candidates);
    const reply: FromThread = { number, found, ...rest };
    parentPort?.postMessage(reply, [found.buffer]);
  }
}
