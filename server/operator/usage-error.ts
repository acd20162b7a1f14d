/** The arguments are invalid. The message says which ones are valid. */
export class UsageError extends Error {
  override name = 'UsageError';
}
