import { expect } from 'vitest';

/** Matches the 422 for the field at `path`. Pass it to `toThrow`. */
export function refusedAt(path: string, code = 'validation_failed'): unknown {
  return expect.objectContaining({
    name: 'UnprocessableError',
    code,
    extra: { details: [{ path, message: expect.any(String) }] },
  });
}
