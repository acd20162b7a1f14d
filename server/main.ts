import { fileURLToPath } from 'node:url';
import { loadCompiled } from './load-compiled.js';
import type * as Program from './program.js';

const { run } = loadCompiled(fileURLToPath(new URL('start/program.cjs', import.meta.url))) as typeof Program;
await run(process.argv.slice(2), process.env);
