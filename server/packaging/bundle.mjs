// Bundles the compiled modules of the server, and the packages that its start needs, into few files. Reading hundreds
// of modules takes Node longer than running them. The output is not minified, so that stacks name functions.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { noticesOf } from './notices.mjs';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const MODULES = join(DIST, 'modules');
/** Folders of `dist` that other steps of the build write. */
const OTHERS = ['modules', 'dashboard', 'site'];
const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Modules that Node starts: those of the programs in `bin`, and of threads and processes. */
const ENTRIES = [
  'start/open-files',
  'operator/provision',
  'operator/reembed',
  'operator/reencrypt',
  'operator/setup-mongodb',
  'adapters/sqlite/engine/log/checkpoint-worker',
  'adapters/sqlite/engine/page-check-process',
  'adapters/sqlite/engine/scrub/scrub-worker',
  'adapters/sqlite/memories/lines/lines-worker',
  'adapters/sqlite/memories/read-worker',
  'adapters/sqlite/vector-index/reader/index-worker',
  'adapters/sqlite/vector-index/scan/helper/helper-worker',
  'adapters/sqlite/vector-index/scan/threads/scan-worker',
  'adapters/password/password-worker',
  'adapters/text-work/text-worker',
];
/** Form of the module that a start of the service begins with. Node runs it sooner than an ES module. */
const MAIN = { format: 'cjs', entryFileNames: '[name].cjs' };
/** Files of the program that each start loads, and whose compiled code `store-compiled.mjs` stores. */
const STARTED = ['program', 'service', 'local-model'];

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
/** Replaces the package with which Agenda reports its steps if the variable DEBUG asks for it. */
const NO_REPORTS = `
  const report = () => {};
  report.extend = () => report;
  module.exports = () => report;
`;
/**
 * Package with native code, which is loaded with `require`. To import it, Node searches its code for the names that it
 * exports, which takes longer than to run it.
 */
const NATIVE = '@photostructure/sqlite';
const REQUIRED = `native:${NATIVE}`;
const requireNative = {
  name: 'require-native',
  resolveId(id, importer) {
    if (id !== NATIVE) return undefined;
    return importer === REQUIRED ? { id, external: true } : REQUIRED;
  },
  load(id) {
    return id === REQUIRED ? `module.exports = require('${NATIVE}');` : undefined;
  },
};
/**
 * Packages that the tools import too. A program in CommonJS would otherwise load their CommonJS form, and the tools, which
 * are ES modules, the other one: two copies of the SDK, each of which knows only its own errors.
 */
const SHARED = /^@(?:memory-service|modelcontextprotocol)\//;
/** The imports of shared packages by the program, with the modules of the build that pass them on. */
const passedOn = new Map();
const sharePackages = {
  name: 'share-packages',
  resolveId(id) {
    if (!SHARED.test(id)) return undefined;
    const name = `${id.slice(1).replaceAll('/', '-')}.js`;
    passedOn.set(id, join('packages', name));
    return { id: `#packages/${name}`, external: true };
  },
};
/** Leaves out large modules of packages that the service does not use. */
const withoutUnused = {
  name: 'without-unused',
  load(id) {
    if (id.endsWith('/node_modules/debug/src/index.js')) return NO_REPORTS;
    if (id.endsWith('/mime-db/db.json')) return { code: JSON.stringify(MEDIA_TYPES), moduleType: 'json' };
    return /\/node_modules\/(?:luxon|cron-parser|date\.js)\//.test(id) ? NO_REPETITION : undefined;
  },
};

const outputs = [...(await bundle(ENTRIES)), ...(await bundle(['main'], { form: MAIN })), ...(await bundleProgram())];
const notices = noticesOf(outputs.flatMap(({ moduleIds }) => moduleIds));

// Without this, files of an earlier build would be published.
for (const name of readdirSync(DIST)) {
  if (!OTHERS.includes(name)) rmSync(join(DIST, name), { recursive: true });
}

for (const { fileName, code } of outputs) write(fileName, code);
for (const [id, file] of passedOn) write(file, `export * from '${id}';\n`);
write('THIRD-PARTY-NOTICES.txt', notices);

/** Returns the files of some entries. */
async function bundle(entries, { external = isOutside, plugins = [], form = {} } = {}) {
  const made = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(MODULES, `${name}.js`)])),
    platform: 'node',
    external,
    plugins: [withoutUnused, requireNative, ...plugins],
    // From the ES modules of a package that has both forms, only what is used gets into the bundle.
    resolve: { mainFields: ['module', 'main'] },
    // The package depd uses `eval` to create wrappers for deprecated functions.
    checks: { eval: false },
    onwarn({ message }) {
      throw new Error(message);
    },
  });
  const { output } = await made.generate({
    chunkFileNames: 'chunks/[name]-[hash].js',
    comments: { jsdoc: false },
    // Node reads ASCII faster, and keeps it in half of the memory.
    charset: 'ascii',
    ...form,
  });
  await made.close();
  return output;
}

/**
 * Returns the program of main as CommonJS modules: of ES modules, Node cannot store the compiled code. Each file takes a
 * millisecond, so a start loads two: what the thread for indexes needs, and then the service.
 */
async function bundleProgram() {
  const form = {
    format: 'cjs',
    minifyInternalExports: false,
    dynamicImportInCjs: false,
    codeSplitting: {
      groups: [
        { name: 'program', test: /\/modules\/program\.js$/, priority: 1 },
        { name: 'service', test: /\/modules\/(?:service|container)\.js$/ },
      ],
    },
    chunkFileNames: ({ name }) => (STARTED.includes(name) ? 'start/[name].cjs' : 'chunks/[name]-[hash].cjs'),
    entryFileNames: 'entry.cjs',
  };
  const external = (id) => isOutside(id) && !SHARED.test(id);
  const output = await bundle(['program'], { external, plugins: [sharePackages], form });
  // The entry only exports again what the group exports.
  return output.filter(({ isEntry }) => !isEntry);
}

/** Reports if a module stays outside of the bundle. */
function isOutside(id) {
  return id.startsWith('#') || isDependency(id);
}

/** Reports if a module is in a package that npm installs with the server: a native one, or one not loaded at start. */
function isDependency(id) {
  return id !== NATIVE && Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`));
}

function write(name, text) {
  const file = join(DIST, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
