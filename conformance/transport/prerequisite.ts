/** A check could not come as far as its requirement: something else that it builds on does not work. */
export class PrerequisiteError extends Error {
  override name = 'PrerequisiteError';
}

/** @throws {PrerequisiteError} */
export function needed<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new PrerequisiteError(`the check needs ${what}`);
  return value;
}
