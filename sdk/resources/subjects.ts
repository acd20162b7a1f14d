import { eraseSubject, getSubjectErasure } from '../generated/sdk.gen.js';
import type { SubjectErasure, SubjectErasureRequest } from '../generated/types.gen.js';
import type { CallOptions } from '../options.js';
import type { ApiCall } from '../transport/calls.js';
import { idOf, type Transport } from '../transport/transport.js';

/** The subjects of memories. For owners. */
export class SubjectsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Starts to erase everything about a subject, and returns immediately. Poll `erasure` for the result.
   *
   * @example const { id } = await client.subjects.erase({ subjectKey: 'user-1' });
   */
  erase(request: SubjectErasureRequest, options: CallOptions = {}): ApiCall<SubjectErasure> {
    return this.#transport.call('eraseSubject', options, (attempt) => eraseSubject({ ...attempt, body: request }));
  }

  /**
   * Returns the progress of an erasure, or its receipt when `status` is `done`.
   *
   * @throws {NotFoundError}
   * @example const { status } = await client.subjects.erasure(erasureId);
   */
  erasure(erasureId: string, options: CallOptions = {}): ApiCall<SubjectErasure> {
    return this.#transport.call('getSubjectErasure', options, (attempt) =>
      getSubjectErasure({ ...attempt, path: { erasureId: idOf(erasureId) } }),
    );
  }
}
