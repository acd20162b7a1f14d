import { VectorMatrix } from './matrix.js';
import type { Quantized } from './quantize.js';
import type { Scan } from './scan.js';

/** A memory's vector as an index keeps it. */
export interface IndexedVector {
  seq: number;
  createdAt: number;
  /** The stored form; empty for none. */
  subjectKey: string;
  quantized: Quantized;
}

/** What became of a memory's vector. */
export type VectorChange =
  | (IndexedVector & { kind: 'put'; active: boolean })
  | { kind: 'subject'; seq: number; subjectKey: string }
  /** The memory was soft-deleted. */
  | { kind: 'delete'; seq: number }
  /** The vector is no longer of this index. */
  | { kind: 'leave'; seq: number };

/**
 * The vectors of one organization that one embedder made: a matrix of the
 * active memories, and one of the deleted from the first search that asks for
 * them.
 */
export class OrganizationIndex {
  readonly fingerprint: string;
  readonly #scan: Scan;
  readonly #subjects = new Map<string, number>();
  #active: VectorMatrix | undefined;
  #deleted: VectorMatrix | undefined;
  #keepsDeleted = false;

  constructor(fingerprint: string, scan: Scan) {
    this.fingerprint = fingerprint;
    this.#scan = scan;
  }

  /** Undefined as long as there is nothing in it. */
  get active(): VectorMatrix | undefined {
    return this.#active;
  }

  /** Undefined as long as there is nothing in it. */
  get deleted(): VectorMatrix | undefined {
    return this.#deleted;
  }

  /** About what it takes. */
  get bytes(): number {
    return (this.#active?.bytes ?? 0) + (this.#deleted?.bytes ?? 0);
  }

  /** Subject keys by their numbers. */
  get subjectKeys(): string[] {
    return [...this.#subjects.keys()];
  }

  /** Empties the index; what is kept of deleted memories too. */
  clear(): void {
    this.#active = undefined;
    this.#deleted = undefined;
    this.#subjects.clear();
  }

  /** From here on the deleted memories are kept as well; those of before have to be put. */
  keepDeleted(): void {
    this.#keepsDeleted = true;
  }

  apply(change: VectorChange): void {
    if (change.kind === 'subject') {
      this.#setSubject(change.seq, change.subjectKey);
      return;
    }
    const left = change.kind === 'delete' && this.#keepsDeleted ? this.#active?.get(change.seq) : undefined;
    if (left) {
      this.#deleted ??= new VectorMatrix(left.codes.length, this.#scan);
      this.#deleted.put(left.row, { codes: left.codes, step: this.#active?.coarsestStep ?? 0 });
    }
    this.#active?.remove(change.seq);
    if (change.kind !== 'delete') this.#deleted?.remove(change.seq);
    if (change.kind === 'put') this.#put(change, change.active);
  }

  /**
   * Seqs of the active memories of a subject, the empty key standing for none;
   * undefined where they are more than `most`.
   */
  seqsOfSubject(subjectKey: string, most: number): number[] | undefined {
    const subject = this.#subjects.get(subjectKey);
    return subject === undefined || !this.#active ? [] : this.#active.seqsOf(subject, most);
  }

  #put({ seq, createdAt, subjectKey, quantized }: IndexedVector, active: boolean): void {
    if (!active && !this.#keepsDeleted) return;
    const row = { seq, createdAt, subject: this.#subjectNumber(subjectKey) };
    if (active) {
      this.#active ??= new VectorMatrix(quantized.codes.length, this.#scan);
      this.#active.put(row, quantized);
    } else {
      this.#deleted ??= new VectorMatrix(quantized.codes.length, this.#scan);
      this.#deleted.put(row, quantized);
    }
  }

  #setSubject(seq: number, subjectKey: string): void {
    const subject = this.#subjectNumber(subjectKey);
    this.#active?.setSubject(seq, subject);
    this.#deleted?.setSubject(seq, subject);
  }

  #subjectNumber(subjectKey: string): number {
    const known = this.#subjects.get(subjectKey);
    if (known !== undefined) return known;
    const number = this.#subjects.size;
    this.#subjects.set(subjectKey, number);
    return number;
  }
}
