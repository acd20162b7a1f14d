import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { lowerPriority } from '../../../../threads/low-priority.js';
import { SketchKernel } from '../sketches/kernel.js';
import { scanPiece } from '../sketches/pieces.js';
import { SharedWork, type TakenPiece } from './shared-work.js';
import type { HelperData, HelperKernel } from './sketch-helper.js';

lowerPriority();

const work = new SharedWork((workerData as HelperData).buffer);
const kernels = new Map<number, SketchKernel>();

for (;;) {
  const { wakes } = work;
  receive();
  help();
  work.sleep(wakes);
}

/** Does pieces of work until none is left. */
function help(): void {
  for (let piece = work.take(); piece; piece = work.take()) {
    scanPiece({ kernel: kernelOf(piece), address: piece.address }, piece.index);
    work.done();
  }
}

/** Returns the kernel of a piece. Its message was sent before. */
function kernelOf({ kernel: number, pages }: TakenPiece): SketchKernel {
  if (!kernels.has(number)) receive();
  const kernel = kernels.get(number);
  if (!kernel) throw new Error(`The helper does not know kernel ${number}`);
  // V8 interrupts the loop to report that the memory has grown.
  while (kernel.pages < pages);
  return kernel;
}

function receive(): void {
  for (let message = next(); message; message = next()) {
    kernels.set(message.number, new SketchKernel(message.module, message.memory));
  }
}

function next(): HelperKernel | undefined {
  return parentPort ? receiveMessageOnPort(parentPort)?.message : undefined;
}
