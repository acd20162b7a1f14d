/** The arguments are not those of the command. The message says which ones are. */
export class UsageError extends Error {
  override name = 'UsageError';
}
