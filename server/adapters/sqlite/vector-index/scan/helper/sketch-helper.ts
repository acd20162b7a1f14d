import { Worker } from 'node:worker_threads';
import { workerFile } from '../../../engine/threads/worker-file.js';
import type { SketchKernel } from '../sketches/kernel.js';
import { type PieceScanner, type Pieces, scanPiece } from '../sketches/pieces.js';
import { MAX_PIECES, SharedWork } from './shared-work.js';

/** The data of the helper's thread at its start. */
export interface HelperData {
  buffer: SharedArrayBuffer;
}

/** Tells the helper about a kernel before its first work. */
export interface HelperKernel {
  number: number;
  module: object;
  memory: object;
}

/**
 * Scans pieces together with the thread of a helper, which takes those that this thread has not taken yet.
 *
 * The helper keeps the memory of all kernels that it knows. So it ends when this thread has released one of them, and is
 * started again for the next scan.
 */
export class SketchHelper implements PieceScanner {
  readonly #work: SharedWork;
  readonly #start: () => Worker;
  readonly #released = new FinalizationRegistry<undefined>(() => this.#end());
  #worker: Worker | undefined;
  #isEnding = false;
  /** Numbers of the kernels that the helper knows. */
  #numbers = new WeakMap<SketchKernel, number>();
  #kernels = 0;
  #pieces: Pieces | undefined;
  /** Number of pieces that both may take. */
  #shared = 0;
  #helped = 0;
  /** False if the next scans are to be done without the helper. */
  isWanted = true;

  /** @param buffer of `SharedWork` */
  constructor(buffer: SharedArrayBuffer, start = () => helperWorker(buffer)) {
    this.#work = new SharedWork(buffer);
    this.#start = start;
  }

  /** Number of pieces that the helper has scanned. */
  get helped(): number {
    return this.#helped;
  }

  /** Lets the helper take pieces, and wakes it. Starts its thread at the first call. */
  begin(pieces: Pieces): void {
    this.#pieces = pieces;
    this.#shared = this.isWanted && !this.#isEnding ? Math.min(pieces.count, MAX_PIECES) : 0;
    if (this.#shared === 0) return;
    const { kernel, address } = pieces;
    this.#work.publish({ kernel: this.#numberOf(kernel), pages: kernel.pages, address }, this.#shared);
  }

  /** Scans the pieces that are left, and waits for the helper. @throws {Error} if it is lost */
  finish(): void {
    if (!this.#pieces) return;
    const { count } = this.#pieces;
    for (let piece = this.#shared; piece < count; piece += 1) scanPiece(this.#pieces, piece);
    let own = 0;
    for (let piece = this.#work.takeOwn(); piece !== undefined; piece = this.#work.takeOwn()) {
      scanPiece(this.#pieces, piece);
      own += 1;
    }
    if (own < this.#shared) this.#work.awaitDone(this.#shared - own);
    this.#pieces = undefined;
    this.#helped += this.#shared - own;
  }

  #numberOf(kernel: SketchKernel): number {
    const known = this.#numbers.get(kernel);
    if (known !== undefined) return known;
    this.#kernels += 1;
    const message: HelperKernel = { number: this.#kernels, module: kernel.module, memory: kernel.memory };
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
    this.#numbers.set(kernel, message.number);
    this.#released.register(kernel, undefined);
    return message.number;
  }

  /** Ends the helper, which has no work now. */
  #end(): void {
    if (!this.#worker || this.#isEnding) return;
    this.#isEnding = true;
    this.#numbers = new WeakMap();
    this.#worker.once('exit', () => {
      this.#worker = undefined;
      this.#isEnding = false;
    });
    void this.#worker.terminate();
  }
}

function helperWorker(buffer: SharedArrayBuffer): Worker {
  const workerData: HelperData = { buffer };
  // All that it allocates is used for a moment only.
  const resourceLimits = { maxYoungGenerationSizeMb: 2 };
  const file = workerFile('vector-index/scan/helper/helper-worker');
  const worker = new Worker(file, { name: 'sketch-helper', execArgv: [], workerData, resourceLimits });
  worker.unref();
  return worker;
}
