import { type ErrorDetail, UnprocessableError } from '../../errors.js';
import type { TextResult } from './do-text-work.js';

/** What a thread answers with. One text crosses in a tenth of the time that its tens of thousands of words take. */
export type TextAnswer =
  | { result: TextResult; terms: string | undefined }
  | { refused: { message: string; details: readonly ErrorDetail[]; code: string } };

/** No term has it. */
const BETWEEN_TERMS = ' ';

/** Does a piece of work and packs its result, or its refusal, for the way to another thread. */
export async function packed(work: () => Promise<TextResult>): Promise<TextAnswer> {
  try {
    const result = await work();
    if (!('terms' in result)) return { result, terms: undefined };
    return { result: { ...result, terms: [] }, terms: result.terms.join(BETWEEN_TERMS) };
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    const { message, code, details } = error;
    return { refused: { message, details, code } };
  }
}

/** @throws {UnprocessableError} where the work did */
export function unpacked(answer: TextAnswer): TextResult {
  if ('refused' in answer) {
    const { message, details, code } = answer.refused;
    throw new UnprocessableError(message, details, code);
  }
  const { result, terms } = answer;
  if (terms === undefined || !('terms' in result)) return result;
  return { ...result, terms: terms === '' ? [] : terms.split(BETWEEN_TERMS) };
}
