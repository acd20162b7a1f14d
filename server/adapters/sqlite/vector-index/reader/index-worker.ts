import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '../../../threads/low-priority.js';
import { awaitNative, callNative, endLoading } from '../../../threads/native-calls.js';
import { EarlyFile } from './early-file.js';
import type { IndexFileAnswer, ToIndexFileThread } from './index-file-thread.js';
import { type IndexFileOrder, IndexReader, type ReadIndex, readLastState } from './read-index-file.js';

// On a single processor, the thread then delays the start by at most a quarter of its own work.
lowerPriority();

/** Runs in a separate thread: reads files one after the other. Their buffers move to the main thread. */
const early = new EarlyFile(readLastState);
const reader = new IndexReader(early);
let last: Promise<void> = Promise.resolve();
parentPort?.on('message', (message: ToIndexFileThread) => {
  if (message === 'end') last = last.then(end);
  else if ('folder' in message) early.read(message.folder, message.maxBytes);
  else last = last.then(() => answer(message));
});
endLoading();

async function answer(order: IndexFileOrder): Promise<void> {
  try {
    const index = await awaitNative(() => reader.read(order));
    parentPort?.postMessage({ index } satisfies IndexFileAnswer, index ? buffersOf(index) : []);
  } catch (error) {
    parentPort?.postMessage({ error } satisfies IndexFileAnswer);
  }
}

function end(): void {
  callNative(() => reader[Symbol.dispose]());
  parentPort?.close();
}

function buffersOf({ matrix: { contents } }: ReadIndex): ArrayBuffer[] {
  const { blocks, slots } = contents;
  const arrays = blocks.flatMap(({ codes, seqs, createdAts }) => [codes, seqs, createdAts]);
  return [...arrays, slots.seqs, slots.numbers].map(({ buffer }) => buffer as ArrayBuffer);
}
