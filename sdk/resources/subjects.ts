import type { ApiCall } from '../calls.js';
import { eraseSubject, getSubjectErasure } from '../generated/sdk.gen.js';
import type { SubjectErasure, SubjectErasureRequest } from '../generated/types.gen.js';
import type { CallOptions } from '../options.js';
import { idOf, type Transport } from '../transport.js';

/** Whom or what memories are about. For owners. */
export class SubjectsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Begins to remove everything about a subject for good, and returns at once. Follow it with `erasure`. */
  erase(request: SubjectErasureRequest, options: CallOptions = {}): ApiCall<SubjectErasure> {
    return this.#transport.call('eraseSubject', options, (attempt) => eraseSubject({ ...attempt, body: request }));
  }

  /** How far an erasure is; its receipt once `status` is `done`. @throws {NotFoundError} */
  erasure(erasureId: string, options: CallOptions = {}): ApiCall<SubjectErasure> {
    return this.#transport.call('getSubjectErasure', options, (attempt) =>
      getSubjectErasure({ ...attempt, path: { erasureId: idOf(erasureId) } }),
    );
  }
}
