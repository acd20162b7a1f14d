import { run } from '@oclif/core/run';
import { endWithReader } from './lib/output/closed-output.js';
import { printError } from './lib/output/print-error.js';

endWithReader(process.stdout, process.stderr);

/** Runs a command and prints its error. Returns the exit code, or undefined if it may end by itself. */
export async function main(argv: string[]): Promise<number | undefined> {
  try {
    await run(argv, import.meta.url);
    return undefined;
  } catch (error) {
    return printError(error, argv);
  }
}
