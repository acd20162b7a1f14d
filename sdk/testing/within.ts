import { contentConflict } from './identity.js';
import type { MemoryRecord } from './record.js';

/** The memories that a write may change. Undefined members are not limited. */
export interface Within {
  /** A string, even if the subject keys of the organization are integers. */
  subjectKey?: string | undefined;
  /** Value of the metadata key `project`. */
  project?: string | undefined;
}

/** Reads the limits that a bound client sends with each write. */
export function readWithin(headers: Headers): Within {
  return { subjectKey: readHeader(headers, 'X-Memory-Subject-Key'), project: readHeader(headers, 'X-Memory-Project') };
}

export function isWithin({ subjectKey, metadata }: MemoryRecord, within: Within): boolean {
  if (within.subjectKey !== undefined && String(subjectKey) !== within.subjectKey) return false;
  return within.project === undefined || metadata.project === within.project;
}

/** @throws {Refusal} 409 */
export function assertWithin(record: MemoryRecord, within: Within): void {
  if (!isWithin(record, within)) throw contentConflict(record);
}

function readHeader(headers: Headers, name: string): string | undefined {
  const value = headers.get(name);
  return value === null ? undefined : decodeURIComponent(value);
}
