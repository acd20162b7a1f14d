/** A check could not come as far as its requirement: something else that it builds on does not work. */
export class PrerequisiteError extends Error {
  override name = 'PrerequisiteError';
}

/** The deployment lacks what a check needs, or the profile does not name it. */
export class MissingCapabilityError extends PrerequisiteError {
  override name = 'MissingCapabilityError';
}

/** @throws {MissingCapabilityError} */
export function needed<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new MissingCapabilityError(`the check needs ${what}`);
  return value;
}
