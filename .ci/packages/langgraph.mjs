import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './processes.mjs';

const PROGRAM = fileURLToPath(new URL('programs/langgraph-store.mjs', import.meta.url));

/** Runs a program on the store and the version of LangGraph's packages that are installed in `cwd`. */
export async function checkLanggraph(cwd, { env }, print) {
  await copyFile(PROGRAM, join(cwd, 'langgraph-store.mjs'));
  const { code, output } = await run(process.execPath, ['langgraph-store.mjs'], { cwd, env });
  print(`langgraph: ${code === 0 ? output.trim() : 'FAILED'}`);
  return code === 0 ? [] : [`the store fails:\n${output}`];
}
