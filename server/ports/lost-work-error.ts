/** The thread of a computation ended before its result. Nothing was stored, and a retry may succeed. */
export class LostWorkError extends Error {
  override name = 'LostWorkError';
}
