/** Number of entries of a new table. A power of two, as every later number. */
const FIRST_CAPACITY = 16;
/** Share of the entries that may be used. With more, a lookup compares many keys. */
const MAX_LOAD = 3 / 4;
/** The golden ratio in 32 bits. Seqs that follow each other get distant entries. */
const MULTIPLIER = 0x9e3779b1;
/** Size of a key and a number. */
const ENTRY_BYTES = 12;
/** Size of an entry for each seq: a table that just grew uses three eighths of its entries. */
export const SEQ_BYTES = ENTRY_BYTES / (MAX_LOAD / 2);

/** The entries of a table, to send them to another thread. */
export interface SeqEntries {
  seqs: Float64Array<ArrayBuffer>;
  numbers: Int32Array<ArrayBuffer>;
  size: number;
}

/**
 * Maps the seqs of memories to numbers from 0 to 2 ** 31 - 2. Unlike a `Map`, it can move to another thread: filling one with
 * 50,000 seqs takes a start some 40 ms of processor time, while nothing is compiled yet.
 *
 * A seq is in the first free entry from that of its hash on. So `delete` closes the gap that it leaves.
 */
export class SeqTable {
  #seqs: Float64Array<ArrayBuffer>;
  /** The number of each entry, plus one. 0 for a free entry. */
  #numbers: Int32Array<ArrayBuffer>;
  #size: number;

  constructor({ seqs, numbers, size }: SeqEntries = noEntries()) {
    this.#seqs = seqs;
    this.#numbers = numbers;
    this.#size = size;
  }

  /** Not a copy: the table must not change while another one has them. */
  get entries(): SeqEntries {
    return { seqs: this.#seqs, numbers: this.#numbers, size: this.#size };
  }

  get size(): number {
    return this.#size;
  }

  has(seq: number): boolean {
    return this.#numbers[this.#entryOf(seq)] !== 0;
  }

  get(seq: number): number | undefined {
    const number = this.#numbers[this.#entryOf(seq)] as number;
    return number === 0 ? undefined : number - 1;
  }

  set(seq: number, number: number): void {
    const entry = this.#entryOf(seq);
    const isNew = this.#numbers[entry] === 0;
    this.#seqs[entry] = seq;
    this.#numbers[entry] = number + 1;
    if (!isNew) return;
    this.#size += 1;
    if (this.#size > this.#numbers.length * MAX_LOAD) this.#resize(2 * this.#numbers.length);
  }

  /** Makes room for `count` more seqs at once. */
  reserve(count: number): void {
    let capacity = this.#numbers.length;
    while (this.#size + count > capacity * MAX_LOAD) capacity *= 2;
    if (capacity > this.#numbers.length) this.#resize(capacity);
  }

  delete(seq: number): void {
    let gap = this.#entryOf(seq);
    if (this.#numbers[gap] === 0) return;
    const last = this.#numbers.length - 1;
    for (let entry = (gap + 1) & last; this.#numbers[entry] !== 0; entry = (entry + 1) & last) {
      const home = this.#homeOf(this.#seqs[entry] as number);
      // The seq stays if its home is after the gap.
      if (((entry - home) & last) < ((entry - gap) & last)) continue;
      this.#seqs[gap] = this.#seqs[entry] as number;
      this.#numbers[gap] = this.#numbers[entry] as number;
      gap = entry;
    }
    this.#numbers[gap] = 0;
    this.#size -= 1;
  }

  clear(): void {
    const { seqs, numbers, size } = noEntries();
    this.#seqs = seqs;
    this.#numbers = numbers;
    this.#size = size;
  }

  /** Returns the entry of a seq, or the free one where it belongs. */
  #entryOf(seq: number): number {
    const last = this.#numbers.length - 1;
    let entry = this.#homeOf(seq);
    while (this.#numbers[entry] !== 0 && this.#seqs[entry] !== seq) entry = (entry + 1) & last;
    return entry;
  }

  #homeOf(seq: number): number {
    return Math.imul(seq, MULTIPLIER) >>> (Math.clz32(this.#numbers.length) + 1);
  }

  #resize(capacity: number): void {
    const [seqs, numbers] = [this.#seqs, this.#numbers];
    this.#seqs = new Float64Array(capacity);
    this.#numbers = new Int32Array(capacity);
    for (let from = 0; from < numbers.length; from += 1) {
      if (numbers[from] === 0) continue;
      const entry = this.#entryOf(seqs[from] as number);
      this.#seqs[entry] = seqs[from] as number;
      this.#numbers[entry] = numbers[from] as number;
    }
  }
}

function noEntries(): SeqEntries {
  return { seqs: new Float64Array(FIRST_CAPACITY), numbers: new Int32Array(FIRST_CAPACITY), size: 0 };
}
