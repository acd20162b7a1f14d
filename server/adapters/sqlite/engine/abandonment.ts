const ABANDONED = 1;

/** Says to another thread that nobody waits for an answer any more. It travels with the order. */
export type AbandonedFlag = Int32Array<SharedArrayBuffer>;

/** What was ordered is not wanted any more. */
export class AbandonedError extends Error {
  override name = 'AbandonedError';
}

export function newFlag(): AbandonedFlag {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export function raise(flag: AbandonedFlag): void {
  Atomics.store(flag, 0, ABANDONED);
}

/** Called between the steps of long work. @throws {AbandonedError} */
export type AssertWanted = () => void;

/** @param flag undefined for an order that nobody can abandon */
export function wantedUntil(flag: AbandonedFlag | undefined): AssertWanted {
  return () => {
    if (flag && Atomics.load(flag, 0) === ABANDONED) throw new AbandonedError('nobody waits for the answer');
  };
}
