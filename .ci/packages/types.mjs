import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../documents.mjs';
import { run } from './processes.mjs';

const PROGRAM = fileURLToPath(new URL('programs/typed-client.ts', import.meta.url));
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
/** With the declarations of the package checked, and those of a browser alone. */
const OPTIONS = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
};
/** Kind of project → how it resolves packages, and of which type its own package is. */
const PROJECTS = {
  bundler: { module: 'preserve', moduleResolution: 'bundler', type: 'module' },
  'node16, ES modules': { module: 'node16', moduleResolution: 'node16', type: 'module' },
  'node16, CommonJS': { module: 'node16', moduleResolution: 'node16', type: 'commonjs' },
};

/** Compiles a program on the client that is installed in `folder`, in each kind of project. */
export async function checkTypes(folder, print) {
  const faults = await Promise.all(
    Object.entries(PROJECTS).map(async ([kind, { type, ...resolution }]) => {
      const cwd = join(folder, kind.replaceAll(/\W+/g, '-'));
      await mkdir(cwd);
      await copyFile(PROGRAM, join(cwd, 'typed-client.ts'));
      await writeFile(join(cwd, 'package.json'), JSON.stringify({ private: true, type }));
      await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...OPTIONS, ...resolution } }));
      const { code, output } = await run(process.execPath, [COMPILER, '--project', cwd], { cwd });
      return code === 0 ? [] : [`does not compile under ${kind}:\n${output}`];
    }),
  );
  print(`types: ${Object.keys(PROJECTS).join('; ')}`);
  return faults.flat();
}
