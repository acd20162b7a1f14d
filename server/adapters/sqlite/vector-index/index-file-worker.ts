import { parentPort } from 'node:worker_threads';
import type { IndexFileAnswer } from './index-file-thread.js';
import { type IndexFileOrder, type ReadIndex, readIndexFile } from './read-index-file.js';

/** Runs in a separate thread: reads files one after the other. Their buffers move to the main thread. */
let last: Promise<void> = Promise.resolve();
parentPort?.on('message', (order: IndexFileOrder) => {
  last = last.then(() => answer(order));
});

async function answer(order: IndexFileOrder): Promise<void> {
  try {
    const index = await readIndexFile(order);
    parentPort?.postMessage({ index } satisfies IndexFileAnswer, index ? buffersOf(index) : []);
  } catch (error) {
    parentPort?.postMessage({ error } satisfies IndexFileAnswer);
  }
}

function buffersOf({ matrix: { contents } }: ReadIndex): ArrayBuffer[] {
  const { blocks, slots } = contents;
  const arrays = blocks.flatMap(({ codes, seqs, createdAts }) => [codes, seqs, createdAts]);
  // Columns of a file share a buffer.
  return [...new Set([...arrays, slots.seqs, slots.numbers].map(({ buffer }) => buffer as ArrayBuffer))];
}
