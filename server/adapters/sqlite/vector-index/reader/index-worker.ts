import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '../../../threads/low-priority.js';
import { awaitNative, callNative, endLoading } from '../../../threads/native-calls.js';
import type { StoredIndex } from '../index-parts.js';
import { EarlyFile } from './early-file.js';
import { IndexReader, readLastState } from './index-reader.js';
import type { IndexAnswer, IndexOrder, ToIndexThread } from './index-thread.js';

// On a single processor, the thread then delays the start by at most a quarter of its own work.
lowerPriority();

/**
 * Runs in a separate thread: reads files one after the other, and vectors from the database between them. The buffers of an
 * index move to the main thread.
 */
const early = new EarlyFile(readLastState);
const reader = new IndexReader(early);
let lastFile: Promise<unknown> = Promise.resolve();
const answers = new Set<Promise<void>>();
parentPort?.on('message', (message: ToIndexThread) => {
  if (message === 'end') void end();
  else if ('folder' in message) early.read(message.folder, message.maxBytes);
  else {
    const answered = answer(message);
    answers.add(answered);
    void answered.then(() => answers.delete(answered));
  }
});
endLoading();

async function answer(order: IndexOrder): Promise<void> {
  const { id } = order;
  try {
    const index = await ('file' in order ? inTurn(order) : reader.readDatabase(order.stored));
    parentPort?.postMessage({ id, index } satisfies IndexAnswer, index ? buffersOf(index) : []);
  } catch (error) {
    parentPort?.postMessage({ id, error } satisfies IndexAnswer);
  }
}

/** Reads a file after those that were ordered before. */
function inTurn({ file }: Extract<IndexOrder, { file: unknown }>): Promise<StoredIndex | undefined> {
  const read = lastFile.then(() => awaitNative(() => reader.readFile(file)));
  lastFile = read.catch(() => {});
  return read;
}

async function end(): Promise<void> {
  reader.end();
  await Promise.all(answers);
  callNative(() => reader[Symbol.dispose]());
  parentPort?.close();
}

function buffersOf({ matrix: { contents } }: StoredIndex): ArrayBuffer[] {
  const { blocks, slots } = contents;
  const arrays = blocks.flatMap(({ codes, seqs, createdAts }) => [codes, seqs, createdAts]);
  return [...arrays, slots.seqs, slots.numbers].map(({ buffer }) => buffer as ArrayBuffer);
}
