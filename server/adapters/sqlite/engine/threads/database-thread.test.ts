import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreUnavailableError } from '../../../../ports/store-errors.js';
import { Connection } from '../connection.js';
import { DatabaseThread } from './database-thread.js';
import { workerFile } from './worker-file.js';

describe('DatabaseThread', () => {
  test('answers every order, in sequence, before it ends', async () => {
    const { thread } = open(join(folder(), 'notes'), ECHO);
    const answers: string[] = [];

    const asked = ['a', 'b', 'c'].map((order) => thread.ask(order).then((answer) => answers.push(String(answer))));
    await thread.close();
    await Promise.all(asked);

    expect(answers).toEqual(['a', 'b', 'c']);
  });

  test('rejects orders after it was closed', async () => {
    const { thread } = open(join(folder(), 'notes'), ECHO);
    await thread.close();

    await expect(thread.ask('a')).rejects.toThrow(StoreUnavailableError);
    await thread.close();
  });

  test('rejects the order at which it died, and starts again for the next', async () => {
    const { thread } = open(join(folder(), 'notes'), DIES_ONCE + ECHO);

    const died = await Promise.allSettled([thread.ask('a'), thread.ask('b')]);

    const reason = expect.objectContaining({
      name: 'StoreUnavailableError',
      cause: expect.objectContaining({ message: 'on purpose' }),
    });
    expect(died).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    await expect(thread.ask('c')).resolves.toBe('c');
  });

  test('ends an order that its caller aborts, and answers the next', async () => {
    const { thread } = open(join(folder(), 'notes'), WORKS_UNTIL_ABANDONED);
    const [first, second] = [new AbortController(), new AbortController()];
    const gone = new Error('the caller left');

    const abandoned = [thread.ask('a', first.signal), thread.ask('b', second.signal)];
    first.abort(gone);
    second.abort(gone);

    expect(await Promise.allSettled(abandoned)).toEqual(Array(2).fill({ status: 'rejected', reason: gone }));
    await expect(thread.ask('c')).resolves.toBe('c');
  });

  test('runs no order that was aborted before it was sent', async () => {
    const { thread } = open(join(folder(), 'notes'), WORKS_UNTIL_ABANDONED);

    await expect(thread.ask('a', AbortSignal.abort(new Error('the caller left')))).rejects.toThrow('the caller left');
  });

  test('reports a damaged database as a fatal error', async () => {
    const path = join(folder(), 'memory.db');
    writeFileSync(path, 'no database '.repeat(1_000));
    const { thread, faults } = open(path);

    await expect(thread.ask('PASSIVE')).rejects.toThrow(StoreUnavailableError);

    expect(faults).toMatchObject([{ errcode: 26 }]);
  });

  test('reports a database that it cannot open, and retries with the next order', async () => {
    const path = join(folder(), 'later', 'memory.db');
    const { thread, faults } = open(path);

    await expect(thread.ask('PASSIVE')).rejects.toThrow(StoreUnavailableError);
    mkdirSync(dirname(path));
    new Connection(path).close();

    await expect(thread.ask('PASSIVE')).resolves.toBeUndefined();
    expect(faults).toEqual([]);
  });
});

/** Answers each order with itself. */
const ECHO = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ order }) => {
    if (order === undefined) parentPort.close();
    else parentPort.postMessage({ value: order });
  });
`;

/** Runs each order with a flag until that is raised. Answers the others with themselves. */
const WORKS_UNTIL_ABANDONED = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ order, abandoned }) => {
    if (order === undefined) parentPort.close();
    else if (!abandoned) parentPort.postMessage({ value: order });
    else {
      while (Atomics.load(abandoned, 0) === 0);
      parentPort.postMessage({ abandoned: true });
    }
  });
`;

/** Dies in the first thread. Writes a file in place of the database, which tells the next thread to answer. */
const DIES_ONCE = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { workerData } from 'node:worker_threads';
  if (!existsSync(workerData.path)) {
    writeFileSync(workerData.path, '');
    throw new Error('on purpose');
  }
`;

/** @param program replaces the program that copies the log */
function open(path: string, program?: string) {
  const faults: unknown[] = [];
  const thread = new DatabaseThread<string, unknown>(path, moduleOf(program), (error) => faults.push(error));
  onTestFinished(() => thread.close());
  return { thread, faults };
}

function moduleOf(program: string | undefined): string {
  if (program === undefined) return workerFile('engine/log/checkpoint-worker');
  const module = join(folder(), 'program.mjs');
  writeFileSync(module, program);
  return module;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'memory-thread-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}
