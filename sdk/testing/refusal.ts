/** An error response of the service. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: Readonly<Record<string, unknown>> & { error: string },
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(body.error);
  }
}

/** Creates a refusal with the error code of the service and a message. */
export function refused(status: number, code: string, error: string, more: Record<string, unknown> = {}): Refusal {
  return new Refusal(status, { error, code, ...more });
}

export function invalid(path: string, message: string): Refusal {
  return refused(422, 'validation_failed', `${path} ${message}`, { details: [{ path, message }] });
}

export function invalidSubjectKey(path: string, message: string): Refusal {
  return refused(422, 'subject_key_invalid', `${path} ${message}`, { details: [{ path, message }] });
}

/** @param deletedMemoryId id of the deleted memory that has the key of the write */
export function notFound(deletedMemoryId?: string): Refusal {
  const named: Record<string, string> = deletedMemoryId === undefined ? {} : { 'X-Deleted-Memory-Id': deletedMemoryId };
  return new Refusal(404, { error: 'Not found' }, named);
}
