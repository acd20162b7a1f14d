import { type ErrorDetail, UnprocessableError } from '../../errors.js';
import type { TextResult } from './do-text-work.js';

/** The answer of a worker thread. One string crosses in a tenth of the time of its tens of thousands of terms. */
export type TextAnswer =
  | { result: TextResult; terms: string | undefined }
  | { refused: { message: string; details: readonly ErrorDetail[]; code: string } };

/** A separator that no term contains. */
const BETWEEN_TERMS = ' ';

/** Runs a piece of work and packs its result, or its rejection, for another thread. */
export async function packed(work: () => Promise<TextResult>): Promise<TextAnswer> {
  try {
    const result = await work();
    if (typeof result === 'string' || !('terms' in result)) return { result, terms: undefined };
    return { result: { ...result, terms: [] }, terms: result.terms.join(BETWEEN_TERMS) };
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    const { message, code, details } = error;
    return { refused: { message, details, code } };
  }
}

/** @throws {UnprocessableError} if the work threw it */
export function unpacked(answer: TextAnswer): TextResult {
  if ('refused' in answer) {
    const { message, details, code } = answer.refused;
    throw new UnprocessableError(message, details, code);
  }
  const { result, terms } = answer;
  if (terms === undefined || typeof result === 'string' || !('terms' in result)) return result;
  return { ...result, terms: terms === '' ? [] : terms.split(BETWEEN_TERMS) };
}
