// Bundles the compiled modules of the server, and the packages that its start needs, into few files. Reading hundreds
// of modules takes Node longer than running them. The output is not minified, so that stacks name functions.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { noticesOf } from './notices.mjs';

const DIST = fileURLToPath(new URL('dist', import.meta.url));
const MODULES = join(DIST, 'modules');
/** Folders of `dist` that other steps of the build write. */
const OTHERS = ['modules', 'dashboard', 'site'];
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** Modules that Node starts: those of the programs in `bin`, and of threads and processes. */
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
  'adapters/sqlite/memories/lines/lines-worker',
  'adapters/sqlite/memories/read-worker',
  'adapters/sqlite/vector-index/file/index-file-worker',
  'adapters/sqlite/vector-index/scan/scan-worker',
  'adapters/password/password-worker',
  'adapters/text-work/text-worker',
];

/** The media types that Koa itself names. The service names all others. The whole list takes a sixth of a start. */
const MEDIA_TYPES = {
  'application/json': { charset: 'UTF-8', extensions: ['json'] },
  'application/octet-stream': { extensions: ['bin'] },
  'text/html': { extensions: ['html'] },
  'text/plain': { extensions: ['txt', 'text'] },
};
/** Replaces what Agenda imports for jobs that repeat, since the service has none. */
const NO_REPETITION = `
  const fail = () => {
    throw new Error('the bundle contains no code for jobs that repeat');
  };
  export { fail as default };
  export const DateTime = { fromJSDate: fail };
  export const CronExpressionParser = { parse: fail };
`;
/** Leaves out large modules of packages that the service does not use. */
const withoutUnused = {
  name: 'without-unused',
  load(id) {
    if (id.endsWith('/mime-db/db.json')) return { code: JSON.stringify(MEDIA_TYPES), moduleType: 'json' };
    return /\/node_modules\/(?:luxon|cron-parser|date\.js)\//.test(id) ? NO_REPETITION : undefined;
  },
};

const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((name) => [name, join(MODULES, `${name}.js`)])),
  platform: 'node',
  external: (id) => id.startsWith('#') || isDependency(id),
  plugins: [withoutUnused],
  // From the ES modules of a package that has both forms, only what is used gets into the bundle.
  resolve: { mainFields: ['module', 'main'] },
  // The package depd uses `eval` to create wrappers for deprecated functions.
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

// Without this, files of an earlier build would be published.
for (const name of readdirSync(DIST)) {
  if (!OTHERS.includes(name)) rmSync(join(DIST, name), { recursive: true });
}

for (const { fileName, code } of output) write(fileName, code);
write('THIRD-PARTY-NOTICES.txt', notices);

/** Reports if a module is in a package that npm installs with the server: a native one, or one not loaded at start. */
function isDependency(id) {
  return Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`));
}

function write(name, text) {
  const file = join(DIST, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
