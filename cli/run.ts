import { run } from '@oclif/core/run';
import { endWithReader } from './lib/closed-output.js';
import { printError } from './lib/print-error.js';

endWithReader(process.stdout, process.stderr);
const argv = process.argv.slice(2);
try {
  await run(argv, import.meta.url);
} catch (error) {
  process.exit(printError(error, argv));
}
