import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../documents.mjs';
import { install } from './install.mjs';
import { run } from './processes.mjs';

const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url));
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
/** The major version that the tests of the package do not use: it asks for a newer Node than this repository does. */
const OTHER = 'ai@7.0.173';
const OPTIONS = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
  module: 'node16',
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
  strict: true,
  exactOptionalPropertyTypes: true,
  // The declarations of AI SDK 7 do not pass.
  skipLibCheck: true,
  noEmit: true,
};

/** Installs the package beside the other major version, whose warning about Node is expected. */
export function installOtherAiSdk(folder, tarballs) {
  return install(folder, [...tarballs, OTHER]);
}

/** Compiles and runs a chat on the package and the version of the AI SDK that are installed in `cwd`. */
export async function checkAiSdk(cwd, { env }, print) {
  const { version } = JSON.parse(await readFile(join(cwd, 'node_modules/ai/package.json'), 'utf8'));
  for (const file of ['ai-sdk-chat.mjs', 'typed-chat.mts']) await copyFile(join(PROGRAMS, file), join(cwd, file));
  const tsconfig = { compilerOptions: OPTIONS, files: ['typed-chat.mts'] };
  await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify(tsconfig));
  const [compiled, ran] = await Promise.all([
    run(process.execPath, [COMPILER, '--project', cwd], { cwd }),
    run(process.execPath, ['ai-sdk-chat.mjs'], { cwd, env }),
  ]);
  print(`AI SDK ${version}: ${ran.code === 0 ? ran.output.trim() : 'FAILED'}`);
  return [
    ...(compiled.code === 0 ? [] : [`does not compile with ai ${version}:\n${compiled.output}`]),
    ...(ran.code === 0 ? [] : [`fails with ai ${version}:\n${ran.output}`]),
  ];
}
