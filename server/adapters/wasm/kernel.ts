import { type AssembledFunction, assemble } from './assembler.js';

/** The part of WebAssembly that is used here. The types of Node.js lack it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Memory: new (size: { initial: number; maximum: number; shared: boolean }) => Memory;
  Instance: new (module: object, imports: object) => { exports: object };
};

interface Memory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
  grow(pages: number): number;
}

const PAGE_BYTES = 65_536;
const MAX_PAGES = 65_536;
/** The largest lines of processor caches. */
const ALIGNMENT = 64;

/** Memory that other threads can get in messages. */
export function newSharedMemory(): object {
  return new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES, shared: true });
}

/** Memory, and functions on it. Addresses are in bytes. */
export class Kernel<Functions> {
  readonly functions: Functions;
  readonly module: object;
  readonly #memory: Memory;
  #end = ALIGNMENT;
  #words: Uint32Array = new Uint32Array();

  /**
   * @param module of `compile`, or of `compileShared` for shared memory. Its functions must be those of the type
   * @param memory of `newSharedMemory`. Only one kernel may allocate in it. Default: memory of its own
   */
  constructor(module: object, memory?: object) {
    this.module = module;
    const size = { initial: 1, maximum: MAX_PAGES, shared: false };
    this.#memory = (memory as Memory | undefined) ?? new WebAssembly.Memory(size);
    const { exports } = new WebAssembly.Instance(module, { kernel: { memory: this.#memory } });
    this.functions = exports as Functions;
  }

  get memory(): object {
    return this.#memory;
  }

  /** Size of the memory. */
  get pages(): number {
    return this.#memory.buffer.byteLength / PAGE_BYTES;
  }

  /** All of the memory, as numbers of four bytes. Faster than views of a few of them. Invalid after `allocate`. */
  get words(): Uint32Array {
    const { buffer } = this.#memory;
    if (this.#words.buffer !== buffer) this.#words = new Uint32Array(buffer);
    return this.#words;
  }

  /** Returns the address of memory that nothing else uses. Views become invalid. @throws {RangeError} if there is none */
  allocate(bytes: number): number {
    const start = this.#end;
    const end = Math.ceil((start + bytes) / ALIGNMENT) * ALIGNMENT;
    const missing = end - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.#end = end;
    return start;
  }

  bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, length);
  }

  int8s(address: number, length: number): Int8Array {
    return new Int8Array(this.#memory.buffer, address, length);
  }

  int16s(address: number, length: number): Int16Array {
    return new Int16Array(this.#memory.buffer, address, length);
  }

  uint32s(address: number, length: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, address, length);
  }

  floats(address: number, length: number): Float32Array {
    return new Float32Array(this.#memory.buffer, address, length);
  }

  doubles(address: number, length: number): Float64Array {
    return new Float64Array(this.#memory.buffer, address, length);
  }
}

/** Compiles functions for kernels. Returns undefined if the platform lacks WebAssembly, or its vectors. */
export function compile(functions: readonly AssembledFunction[]): object | undefined {
  return compiled(assemble(functions));
}

/** Compiles functions for kernels with shared memory. Returns undefined if the platform lacks what they need. */
export function compileShared(functions: readonly AssembledFunction[]): object | undefined {
  return compiled(assemble(functions, MAX_PAGES));
}

function compiled(module: Uint8Array<ArrayBuffer>): object | undefined {
  try {
    return new WebAssembly.Module(module);
  } catch {
    return undefined;
  }
}
