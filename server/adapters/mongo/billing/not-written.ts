import { MongoBulkWriteError } from 'mongodb';

const WRITE_CONCERN_TIMEOUT = 64;

/** Returns the counts to retry. A write that only missed its majority in time is stored, and would count twice. */
export function notWritten<Count>(error: unknown, counts: readonly Count[]): readonly Count[] {
  if (!(error instanceof MongoBulkWriteError)) return counts;
  const refused = [error.writeErrors].flat();
  if (refused.length > 0) return counts.filter((_, index) => refused.some((each) => each.index === index));
  return error.code === WRITE_CONCERN_TIMEOUT ? [] : counts;
}
