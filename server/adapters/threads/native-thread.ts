import { setTimeout } from 'node:timers/promises';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { NativeThreadData } from './native-calls.js';
import { NativeGate } from './native-gate.js';

/** Maximum time for which the exit of the process waits for native calls. */
const MAX_WAIT_MS = 1_000;
/** Time between two looks whether a call has ended. */
const LOOK_MS = 1;

/** The running threads and their gates. */
const gates = new Map<Worker, NativeGate>();
let isExitGuarded = false;

/**
 * Starts a thread that uses native modules through `callNative`. The exit of the process waits until the thread is in no
 * native call, because it would end the thread.
 *
 * @param module path of a module that calls `endLoading`
 */
export function startNativeThread(module: string, workerData: object, options: WorkerOptions = {}): Worker {
  const gateBuffer = NativeGate.newBuffer();
  const data = { ...workerData, gateBuffer } satisfies NativeThreadData;
  const worker = new Worker(module, { ...options, execArgv: [], workerData: data });
  if (!isExitGuarded) process.on('exit', closeGates);
  isExitGuarded = true;
  gates.set(worker, new NativeGate(gateBuffer));
  worker.once('exit', () => gates.delete(worker));
  return worker;
}

/** Ends a thread of `startNativeThread` after its native call, if it is in one. */
export async function endNativeThread(worker: Worker): Promise<void> {
  gates.get(worker)?.close();
  while (gates.get(worker)?.isInUse) await setTimeout(LOOK_MS);
  await worker.terminate();
}

function closeGates(): void {
  for (const gate of gates.values()) gate.close();
  const end = performance.now() + MAX_WAIT_MS;
  for (const gate of gates.values()) gate.awaitCalls(end);
}
