import type { IncomingMessage } from 'node:http';
import { invalid } from '../../domain/invalid.js';

/** The limits that the headers of a connection of tools set. Undefined members are not limited. */
export interface ToolConnection {
  /** The subject of all memories that its models read and write. */
  subjectKey?: string;
  /** The project of all memories that its models read and write. */
  project?: string;
  toolset: 'all' | 'core';
}

const SUBJECT_KEY_HEADER = 'X-Memory-Subject-Key';
const PROJECT_HEADER = 'X-Memory-Project';
const TOOLS_HEADER = 'X-Memory-Tools';

const MAX_SUBJECT_KEY_CODE_POINTS = 512;
const MAX_PROJECT_CODE_POINTS = 256;

/**
 * Reads the headers that limit a connection. An empty or repeated header is rejected, not ignored: the connection would
 * reach more than its client meant.
 *
 * @throws {UnprocessableError}
 */
export function readToolConnection({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): ToolConnection {
  const subjectKey = readName(headersDistinct, SUBJECT_KEY_HEADER, MAX_SUBJECT_KEY_CODE_POINTS);
  const project = readName(headersDistinct, PROJECT_HEADER, MAX_PROJECT_CODE_POINTS);
  const toolset = readValue(headersDistinct, TOOLS_HEADER) ?? 'all';
  if (toolset !== 'all' && toolset !== 'core') throw invalid(TOOLS_HEADER, 'must be all or core');
  return { ...(subjectKey !== undefined && { subjectKey }), ...(project !== undefined && { project }), toolset };
}

/** Characters of a header that have one meaning. */
const VISIBLE_ASCII = /^[\x20-\x7e]*$/;

type DistinctHeaders = IncomingMessage['headersDistinct'];

/** Reads a name, in which characters beyond ASCII and `%` are percent-encoded. */
function readName(headers: DistinctHeaders, header: string, maxCodePoints: number): string | undefined {
  const value = readValue(headers, header);
  if (value === undefined) return undefined;
  const name = decode(header, value);
  if (name.trim() === '') throw invalid(header, 'must not be empty');
  if (Array.from(name).length > maxCodePoints) throw invalid(header, `must have at most ${maxCodePoints} characters`);
  return name;
}

function readValue(headers: DistinctHeaders, header: string): string | undefined {
  const values = headers[header.toLowerCase()] ?? [];
  if (values.length > 1) throw invalid(header, 'must be sent once');
  return values[0];
}

function decode(header: string, value: string): string {
  try {
    if (VISIBLE_ASCII.test(value)) return decodeURIComponent(value);
  } catch {
    // Reported like other characters that are not encoded.
  }
  throw invalid(header, 'must be percent-encoded');
}
