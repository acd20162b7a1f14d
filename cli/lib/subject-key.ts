const INTEGER = /^-?\d{1,16}$/;

/**
 * Sends a request with the subject key of a flag. Whether keys are texts or
 * integers is the organization's choice, which a token need not be allowed to
 * read: what looks like an integer is sent as one where a text was refused.
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
