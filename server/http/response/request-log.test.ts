import { expect, test } from 'vitest';
import type { LogFields } from '../../logger.js';
import { logUnanswered } from './request-log.js';

test.each([
  ['ECONNRESET', 0],
  ['EPIPE', 0],
  ['HPE_INVALID_CHUNK_SIZE', 0],
  ['ERR_STREAM_PREMATURE_CLOSE', 0],
  ['ERR_SQLITE_ERROR', 1],
  [undefined, 1],
])('an answer that %s cut off is logged as an error %i times', (code, times) => {
  const logged: LogFields[] = [];
  const logger = { info: () => {}, warn: () => {}, error: (fields: LogFields) => void logged.push(fields) };
  const error = Object.assign(new Error('cut short'), { code });

  logUnanswered(logger)(error);

  expect(logged).toEqual(Array(times).fill({ err: error }));
});
