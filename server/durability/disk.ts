import type { TraceEvent } from './trace.js';

/** The contents of a disk: the bytes of each file by name. */
export type Image = ReadonlyMap<string, Uint8Array>;

/** The unit that a disk writes completely or not at all. */
export const SECTOR = 512;

/** A change of a file that is not durable yet. */
export type Pending =
  | { kind: 'write'; node: number; offset: number; bytes: Uint8Array }
  | { kind: 'truncate'; node: number; size: number }
  | { kind: 'name'; name: string; node: number | undefined };

/**
 * The part of a pending change that reached the disk before the power loss: everything, nothing, or some sectors of a
 * write.
 */
export type Kept = boolean | ((sector: number) => boolean);

/**
 * A disk with a cache that a power loss clears.
 *
 * A sync makes durable all earlier writes to its file and all earlier changes of names, like a journaling file system.
 * Every other change may or may not survive a crash, in any combination, except that changes of names survive in order.
 */
export class Disk {
  readonly #contents = new Map<number, Content>();
  readonly #durableNames = new Map<string, number>();
  /** The names as the running process sees them. */
  readonly #names = new Map<string, number>();
  #pending: Pending[] = [];
  /** For each pending change, the number of changes and syncs before it. */
  readonly #numbers = new Map<Pending, number>();
  #count = 0;
  #nodes = 0;

  /** Grows with every sync. While it stays equal, so does the durable part. */
  generation = 0;

  get pending(): readonly Pending[] {
    return this.#pending;
  }

  apply(event: Exclude<TraceEvent, { kind: 'claim' }>): void {
    switch (event.kind) {
      case 'create':
        if (!this.#names.has(event.file)) this.#rename(event.file, this.#nodes++);
        break;
      case 'unlink':
        this.#rename(event.file, undefined);
        break;
      case 'sync':
        this.#sync(this.#names.get(event.file), event.called);
        break;
      case 'write':
        this.#add({ ...event, kind: 'write', node: this.#node(event.file) });
        break;
      case 'truncate':
        this.#add({ ...event, kind: 'truncate', node: this.#node(event.file) });
    }
    this.#count += 1;
  }

  /** Returns the disk after a power loss now. `kept` has one entry for each pending change. */
  afterCrash(kept: readonly Kept[]): Image {
    const names = new Map(this.#durableNames);
    const touched = new Map<number, Content>();
    this.#pending.forEach((change, index) => {
      const part = kept[index] ?? false;
      if (part === false) return;
      if (change.kind === 'name') setName(names, change);
      else {
        const content = touched.get(change.node) ?? this.#content(change.node).copy();
        touched.set(change.node, content);
        content.apply(change, part);
      }
    });
    return new Map(Array.from(names, ([name, node]) => [name, (touched.get(node) ?? this.#content(node)).bytes]));
  }

  #rename(name: string, node: number | undefined): void {
    this.#add({ kind: 'name', name, node });
    setName(this.#names, { name, node });
  }

  #add(change: Pending): void {
    this.#numbers.set(change, this.#count);
    this.#pending.push(change);
  }

  #sync(node: number | undefined, called: number): void {
    const remaining: Pending[] = [];
    for (const change of this.#pending) {
      const isSynced = (this.#numbers.get(change) ?? 0) < called && (change.kind === 'name' || change.node === node);
      if (isSynced) this.#settle(change);
      else remaining.push(change);
    }
    this.#pending = remaining;
    this.generation += 1;
  }

  #settle(change: Pending): void {
    this.#numbers.delete(change);
    if (change.kind === 'name') setName(this.#durableNames, change);
    else this.#content(change.node).apply(change, true);
  }

  #node(file: string): number {
    const node = this.#names.get(file);
    if (node === undefined) throw new Error(`${file} was changed before it was created`);
    return node;
  }

  #content(node: number): Content {
    const known = this.#contents.get(node);
    if (known) return known;
    const made = new Content();
    this.#contents.set(node, made);
    return made;
  }
}

function setName(names: Map<string, number>, { name, node }: { name: string; node: number | undefined }): void {
  if (node === undefined) names.delete(name);
  else names.set(name, node);
}

/** The bytes of one file. Parts that were never written are zeros. */
class Content {
  #buffer: Uint8Array;
  #size: number;

  constructor(buffer = new Uint8Array(0)) {
    this.#buffer = buffer;
    this.#size = buffer.length;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }

  copy(): Content {
    return new Content(this.bytes.slice());
  }

  apply(change: Exclude<Pending, { kind: 'name' }>, kept: Kept): void {
    if (change.kind === 'truncate') this.#resize(change.size);
    else if (kept === true) this.#write(change.offset, change.bytes);
    else this.#writeSectors(change.offset, change.bytes, kept || (() => false));
  }

  #writeSectors(offset: number, bytes: Uint8Array, isKept: (sector: number) => boolean): void {
    const end = offset + bytes.length;
    for (let sector = 0, start = offset; start < end; sector += 1) {
      const next = Math.min(end, (Math.floor(start / SECTOR) + 1) * SECTOR);
      if (isKept(sector)) this.#write(start, bytes.subarray(start - offset, next - offset));
      start = next;
    }
  }

  #write(offset: number, bytes: Uint8Array): void {
    this.#resize(Math.max(this.#size, offset + bytes.length));
    this.#buffer.set(bytes, offset);
  }

  #resize(size: number): void {
    if (size > this.#buffer.length) {
      const larger = new Uint8Array(size * 2);
      larger.set(this.bytes);
      this.#buffer = larger;
    } else if (size < this.#size) {
      this.#buffer.fill(0, size, this.#size);
    }
    this.#size = size;
  }
}
