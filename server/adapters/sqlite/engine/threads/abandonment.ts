const ABANDONED = 1;

/** Tells another thread that nobody waits for the answer any more. It is sent with the order. */
export type AbandonedFlag = Int32Array<SharedArrayBuffer>;

/** Ends work whose result nobody waits for. */
export class AbandonedError extends Error {
  override name = 'AbandonedError';
}

export function newFlag(): AbandonedFlag {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export function raise(flag: AbandonedFlag): void {
  Atomics.store(flag, 0, ABANDONED);
}

/** Long work calls it between its steps. @throws {AbandonedError} if the order was abandoned */
export type AssertWanted = () => void;

/** @param flag undefined if nobody can abandon the order */
export function wantedUntil(flag: AbandonedFlag | undefined): AssertWanted {
  return () => {
    if (flag && Atomics.load(flag, 0) === ABANDONED) throw new AbandonedError('nobody waits for the answer');
  };
}
