import { EXIT } from '../../exit-codes.js';
import { CommandError, explainError, toErrorJson } from './explain-error.js';

/**
 * Prints an error that ended the process, in one line if possible: as JSON on standard output with `--json`, else on
 * standard error. Returns the exit code.
 */
export function printError(error: unknown, argv: readonly string[]): number {
  if (!(error instanceof Error)) throw error;
  const explained = explainError(error);
  if (isSilent(explained)) return exitOf(explained);
  if (argv.includes('--json')) console.log(JSON.stringify(toErrorJson(explained), null, 2));
  else console.error(process.env.DEBUG === undefined ? textOf(explained) : explained.stack);
  return exitOf(explained);
}

export function exitOf(error: Error & { oclif?: { exit?: number } }): number {
  return error.oclif?.exit ?? EXIT.failed;
}

/** Returns the message, with the code and the id of the request that help to look it up. */
function textOf(error: Error): string {
  const { code, requestId } = error instanceof CommandError ? error : {};
  const isFault = exitOf(error) === EXIT.later && requestId !== undefined;
  const known = [...(code === undefined ? [] : [code]), ...(isFault ? [`request ${requestId}`] : [])];
  const [first = '', ...others] = error.message.split('\n');
  return [`Error: ${first}${known.length === 0 ? '' : ` (${known.join(', ')})`}`, ...others].join('\n');
}

/** Reports if the error only carries an exit code. */
function isSilent(error: Error): boolean {
  return 'code' in error && error.code === 'EEXIT';
}
