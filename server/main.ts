import { fileURLToPath } from 'node:url';
import { loadCompiled } from './load-compiled.js';
import { withOpenFiles } from './open-files.js';
import type * as Program from './program.js';

void withOpenFiles(async () => {
  const { run } = loadCompiled(fileURLToPath(new URL('start/program.cjs', import.meta.url))) as typeof Program;
  await run(process.argv.slice(2), process.env);
});
