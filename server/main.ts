import { fileURLToPath } from 'node:url';
import type * as Program from './program.js';
import { loadCompiled } from './start/load-compiled.js';
import { withOpenFiles } from './start/open-files.js';

void withOpenFiles(async () => {
  const { run } = loadCompiled(fileURLToPath(new URL('start/program.cjs', import.meta.url))) as typeof Program;
  await run(process.argv.slice(2), process.env);
});
