import { Worker } from 'node:worker_threads';
import { workerFile } from '../../../engine/threads/worker-file.js';
import type { SketchKernel } from '../sketches/kernel.js';
import { type PieceScanner, type Pieces, type PiecesPlace, scanPiece } from '../sketches/pieces.js';
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
  /** Number of pieces of all scans that the helper has taken, as an integer of 32 bits. */
  #helped = 0;
  /** The kernel and address of the pieces of which the helper did not finish one in time. */
  #late: { kernel: number | undefined; address: number } | undefined;
  /** False if the next scans are to be done without the helper. */
  isWanted = true;

  /** @param buffer of `SharedWork` */
  constructor(buffer: SharedArrayBuffer, start = () => helperWorker(buffer)) {
    this.#work = new SharedWork(buffer);
    this.#start = start;
  }

  /** Number of pieces that the helper has taken. */
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

  /** Scans the pieces that are left, and one that the helper has not finished in time: it may be waiting for a processor. */
  finish(): void {
    const pieces = this.#pieces;
    if (!pieces) return;
    this.#pieces = undefined;
    for (let piece = this.#shared; piece < pieces.count; piece += 1) scanPiece(pieces, piece);
    let own = 0;
    // Pieces are taken in descending order, and the helper can only lack the last one that it took.
    let before = this.#shared;
    let lastOfHelper: number | undefined;
    for (let piece = this.#work.takeOwn(); piece !== undefined; piece = this.#work.takeOwn()) {
      if (piece < before - 1) lastOfHelper = piece + 1;
      before = piece;
      scanPiece(pieces, piece);
      own += 1;
    }
    if (before > 0) lastOfHelper = 0;
    if (lastOfHelper === undefined) return;
    this.#helped = (this.#helped + this.#shared - own) | 0;
    if (this.#work.awaitDone(this.#helped)) return;
    scanPiece(pieces, lastOfHelper);
    this.#late = { kernel: this.#numbers.get(pieces.kernel), address: pieces.address };
  }

  isWriting({ kernel, address }: PiecesPlace): boolean {
    if (this.#late && this.#work.doneByHelper === this.#helped) this.#late = undefined;
    return (
      this.#late !== undefined && this.#late.kernel === this.#numbers.get(kernel) && this.#late.address === address
    );
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

  /** Ends the helper. At most it has a piece of a former scan. */
  #end(): void {
    if (!this.#worker || this.#isEnding) return;
    this.#isEnding = true;
    this.#numbers = new WeakMap();
    this.#worker.once('exit', () => {
      this.#worker = undefined;
      this.#isEnding = false;
      // It may have ended within a piece.
      this.#helped = this.#work.doneByHelper;
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
