const INTEGER = /^-?\d{1,16}$/;

/**
 * Sends a request with the subject key of a flag. The organization decides if keys are strings or integers, but a token
 * may not be allowed to read that. So a flag that looks like an integer is sent as one if the string was rejected.
 */
export async function withSubjectKey<T>(
  flag: string | undefined,
  send: (subjectKey: string | number | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await send(flag);
  } catch (error) {
    if (flag === undefined || !INTEGER.test(flag) || !isWrongType(error)) throw error;
    return send(Number(flag));
  }
}

function isWrongType(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'subject_key_invalid';
}
