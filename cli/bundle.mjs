// Bundles the compiled modules of the command line, the SDK and oclif into few files. Node takes longer to read hundreds of
// modules than to run a command. Each command stays a file of its own, since oclif loads only the one that runs. The output
// is not minified, so that stacks name functions.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { noticesOf } from '../server/packaging/notices.mjs';

const DIST = fileURLToPath(new URL('dist', import.meta.url));
const MODULES = join(DIST, 'modules');
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
/** oclif compiles plugins that are written in TypeScript with it. There are none. */
const NEVER_LOADED = ['typescript'];

const entries = ['run', ...modulesIn('commands'), ...modulesIn('hooks')];
const bundle = await rolldown({
  input: Object.fromEntries(entries.map((name) => [name, join(MODULES, `${name}.js`)])),
  platform: 'node',
  external: (id) => NEVER_LOADED.includes(id) || isDependency(id),
  onwarn({ message }) {
    throw new Error(message);
  },
});
const { output } = await bundle.generate({
  chunkFileNames: 'chunks/[name]-[hash].js',
  comments: { jsdoc: false },
});
await bundle.close();
const notices = noticesOf(output.flatMap(({ moduleIds }) => moduleIds));

// Without this, a command that was renamed would still be there.
for (const name of readdirSync(DIST)) if (name !== 'modules') rmSync(join(DIST, name), { recursive: true });

for (const { fileName, code } of output) write(fileName, code);
write('THIRD-PARTY-NOTICES.txt', notices);

/** Returns the names of the compiled modules of a folder. A module without a source is one of an earlier build. */
function modulesIn(folder) {
  const sources = fileURLToPath(new URL(folder, import.meta.url));
  return readdirSync(sources, { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => join(folder, file.slice(0, -'.ts'.length)));
}

/** Reports if a module is in a package that npm installs with the command line. */
function isDependency(id) {
  return Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`));
}

function write(name, text) {
  const file = join(DIST, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
