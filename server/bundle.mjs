// Joins the compiled modules of the server, and the packages that its start needs, into few files: Node takes longer to
// find and read some hundreds of modules than to run them. The output is not minified: stacks name the functions, and
// each part names its module.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { noticesOf } from './notices.mjs';

const DIST = fileURLToPath(new URL('dist', import.meta.url));
const MODULES = join(DIST, 'modules');
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** What Node starts: the programs in `bin` with what they import first, and the threads and processes that the embedded store starts. */
const ENTRIES = [
  'open-files',
  'main',
  'operator/provision',
  'operator/reembed',
  'operator/reencrypt',
  'operator/setup-mongodb',
  'adapters/sqlite/engine/log/checkpoint-worker',
  'adapters/sqlite/engine/page-check-process',
  'adapters/sqlite/engine/scrub/scrub-worker',
  'adapters/sqlite/memories/read-worker',
  'adapters/sqlite/vector-index/scan/scan-worker',
  'adapters/password/password-worker',
  'adapters/text-work/text-worker',
];

const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((name) => [name, join(MODULES, `${name}.js`)])),
  platform: 'node',
  external: (id) => id.startsWith('#') || isDependency(id),
  // depd names the arguments of what it marks as deprecated with it.
  checks: { eval: false },
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

// Files of an earlier build would be published with those of this one.
for (const name of readdirSync(DIST)) if (name !== 'modules') rmSync(join(DIST, name), { recursive: true });

for (const { fileName, code } of output) write(fileName, code);
write('THIRD-PARTY-NOTICES.txt', notices);

/** Whether a module comes from a package that npm installs with the server: one that is native, or that a start does not load. */
function isDependency(id) {
  return Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`));
}

function write(name, text) {
  const file = join(DIST, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
