import { CURSOR_FORM } from '../cursor.js';
import { parseSubjectText, subjectText } from '../filter/memory-facets.js';
import { invalid } from '../invalid.js';
import type { DocumentName } from './document.js';

const SUBJECT_TEXT = /^$|^i:-?\d+$|^s:/;

/** Formats a cursor. It grants no access, because every page is read in the caller's organization. */
export function formatDocumentCursor({ documentId, subjectKey }: DocumentName): string {
  return Buffer.from(JSON.stringify([subjectText(subjectKey), documentId])).toString('base64url');
}

/**
 * Accepts only results of `formatDocumentCursor`.
 *
 * @throws {UnprocessableError} at `cursor`
 */
export function parseDocumentCursor(text: string): DocumentName {
  const [subject, documentId] = readPair(Buffer.from(text, 'base64url').toString());
  if (subject === undefined || documentId === undefined || !SUBJECT_TEXT.test(subject)) throw malformed();
  const subjectKey = parseSubjectText(subject);
  const name = { documentId, ...(subjectKey !== undefined && { subjectKey }) };
  if (formatDocumentCursor(name) !== text) throw malformed();
  return name;
}

function readPair(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'string') ? value : [];
  } catch {
    return [];
  }
}

function malformed() {
  return invalid('cursor', CURSOR_FORM);
}
