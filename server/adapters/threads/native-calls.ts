import { workerData } from 'node:worker_threads';
import { NativeGate } from './native-gate.js';

/** The data of a thread that `startNativeThread` starts. */
export interface NativeThreadData {
  gateBuffer: SharedArrayBuffer;
}

/** In the main thread, there is none. */
const buffer = (workerData as NativeThreadData | null)?.gateBuffer;
const gate = buffer && new NativeGate(buffer);

/** Must be called once by each thread of `startNativeThread`, when it has loaded its modules. */
export function endLoading(): void {
  gate?.leave();
}

/** Calls a native module in a thread of `startNativeThread`, which is not ended meanwhile. */
export function callNative<T>(call: () => T): T {
  gate?.enter();
  try {
    return call();
  } finally {
    gate?.leave();
  }
}

/** Like `callNative`, for a call between whose parts the thread does other work. */
export async function awaitNative<T>(call: () => Promise<T>): Promise<T> {
  gate?.enter();
  try {
    return await call();
  } finally {
    gate?.leave();
  }
}

/** Lets the process end the thread, between two calls that are within one `callNative`. */
export function pauseCalls(): void {
  gate?.leave();
  gate?.enter();
}
