import { createHash } from 'node:crypto';
import { MemoryApiError, type Scope, type SubjectKey } from '@memory-service/sdk';
import type { Fixed } from '../tools/listed-arguments.js';

/** The subject and the project of a connection, as its environment or its headers name them. */
export interface BindingNames {
  subjectKey?: string | undefined;
  project?: string | undefined;
}

/** The values that every read is filtered by, and that every write gets. */
export interface Bound {
  readonly subjectKey?: SubjectKey;
  readonly project?: string;
}

/** The value of a binding is not one that the service can have stored. */
export class BindingError extends Error {
  override name = 'BindingError';

  constructor(
    readonly part: Fixed,
    readonly reason: string,
  ) {
    super(`${part} ${reason}`);
  }
}

/** Maximum code points of a subject key, and of the project of an external key. */
export const MAX_SUBJECT_KEY_LENGTH = 512;
const MAX_PROJECT_LENGTH = 256;
/** Maximum code points of the source of an external key, which contains the subject. */
const MAX_SOURCE_LENGTH = 256;
const INTEGER = /^-?\d{1,16}$/;

/**
 * The part of the memories that a connection is bound to. Its models can neither see nor change it. A connection without
 * a binding reaches all memories of its credential.
 */
export class Binding {
  readonly #project: string | undefined;
  #subjectKey: SubjectKey | undefined;

  /**
   * @param keyType type of the organization's subject keys, if it is known
   * @throws {BindingError} if a value is empty or too long: an unset variable must not open all memories
   */
  constructor({ subjectKey, project }: BindingNames, keyType?: 'string' | 'integer' | undefined) {
    assertName('subjectKey', subjectKey, MAX_SUBJECT_KEY_LENGTH);
    assertName('project', project, MAX_PROJECT_LENGTH);
    // The service stores subject keys in this form.
    const key = subjectKey?.normalize('NFC');
    this.#project = project?.normalize('NFC');
    this.#subjectKey = keyType === 'integer' ? (toInteger(key) ?? key) : key;
  }

  /** The parts that are bound. */
  get fixed(): Fixed[] {
    const parts: Fixed[] = [];
    if (this.#subjectKey !== undefined) parts.push('subjectKey');
    if (this.#project !== undefined) parts.push('project');
    return parts;
  }

  /** Headers by which the service keeps writes to the bound memories, in the transaction of each write. */
  get headers(): Record<string, string> {
    const [subjectKey, project] = [this.#subjectKey, this.#project];
    return {
      ...(subjectKey !== undefined && { 'X-Memory-Subject-Key': encodeURIComponent(subjectKey) }),
      ...(project !== undefined && { 'X-Memory-Project': encodeURIComponent(project) }),
    };
  }

  /**
   * Sends a request with the bound values. The organization decides if subject keys are strings or integers, but a token
   * may not be allowed to read that. So a key that looks like an integer is sent as one if the string was rejected.
   */
  async run<T>(send: (bound: Bound) => Promise<T>, isRejected: (answer: T) => boolean = () => false): Promise<T> {
    const other = toInteger(this.#subjectKey);
    if (other === undefined) return send(this.#bound());
    try {
      const answer = await send(this.#bound());
      if (!isRejected(answer)) return answer;
    } catch (error) {
      if (!(error instanceof MemoryApiError) || error.code !== 'subject_key_invalid') throw error;
    }
    const given = this.#subjectKey;
    this.#subjectKey = other;
    try {
      return await send(this.#bound());
    } catch (error) {
      this.#subjectKey = given;
      throw error;
    }
  }

  #bound(): Bound {
    return {
      ...(this.#subjectKey !== undefined && { subjectKey: this.#subjectKey }),
      ...(this.#project !== undefined && { project: this.#project }),
    };
  }
}

/** Reports if a memory is in the bound part. */
export function isWithin(memory: object, { subjectKey, project }: Bound): boolean {
  const { subjectKey: own, metadata } = memory as { subjectKey?: unknown; metadata?: { project?: unknown } };
  if (subjectKey !== undefined && own !== subjectKey && String(own) !== String(subjectKey)) return false;
  return project === undefined || metadata?.project === project;
}

/**
 * Returns the scope of external keys. It contains the subject, so that two subjects may use the same key, and a write
 * under a key cannot reach the memory of another subject.
 */
export function keyScope({ subjectKey, project }: Bound): Scope {
  return {
    ...(subjectKey !== undefined && { source: sourceOf(String(subjectKey)) }),
    ...(project !== undefined && { project }),
  };
}

function sourceOf(subjectKey: string): string {
  const source = `subject:${subjectKey}`;
  if (Array.from(source).length <= MAX_SOURCE_LENGTH) return source;
  return `subject:sha256:${createHash('sha256').update(subjectKey).digest('hex')}`;
}

function assertName(part: Fixed, value: string | undefined, maxLength: number): void {
  if (value === undefined) return;
  if (value.trim() === '') throw new BindingError(part, 'must not be empty');
  if (Array.from(value).length > maxLength) throw new BindingError(part, `must have at most ${maxLength} characters`);
}

/** Returns undefined for a number too, which is never sent as a string. */
function toInteger(subjectKey: SubjectKey | undefined): number | undefined {
  if (typeof subjectKey !== 'string' || !INTEGER.test(subjectKey)) return undefined;
  const value = Number(subjectKey);
  return Number.isSafeInteger(value) && String(value) === subjectKey ? value : undefined;
}
