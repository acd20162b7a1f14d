// Builds what changed since the last build: the licence of each package, the packages, the forms of the contract that
// the server and the tools read, the pages of the dashboard and of the documentation, and the commands of the CLI. With
// nothing to do it only compares times of files, since `npm start` begins with it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Packages that are published. */
const PUBLISHED = ['sdk', 'mcp', 'ai-sdk', 'langgraph', 'cli', 'conformance', 'server'];
/**
 * The projects that no other one refers to, and what says that each is built; TypeScript builds the others with them.
 */
const PROJECTS = {
  cli: 'cli/dist/modules/.tsbuildinfo',
  conformance: 'conformance/dist/.tsbuildinfo',
  server: 'server/dist/modules/.tsbuildinfo',
  'server/site': 'server/dist/modules/site/.tsbuildinfo',
  examples: 'examples/dist/.tsbuildinfo',
  'sdk/tsconfig.cjs.json': 'sdk/dist/cjs/.tsbuildinfo',
};
const TSC = 'node_modules/typescript/bin/tsc';
const VITE = 'node_modules/vite/bin/vite.js';
/** Inputs of the server bundle besides its modules: the lock file decides which packages it contains. */
const JOINS = [
  'server/packaging/bundle.mjs',
  'server/packaging/notices.mjs',
  'server/package.json',
  'package-lock.json',
];
/** The same for the command line. */
const CLI_JOINS = [
  'cli/bundle.mjs',
  'server/packaging/notices.mjs',
  'cli/package.json',
  'package-lock.json',
  'sdk/dist/.tsbuildinfo',
];
/** Development dependencies that compiling needs; npm may install TypeScript without the others. */
const TOOLS = [
  TSC,
  'node_modules/@langchain/langgraph-checkpoint',
  'node_modules/@types/cli-progress',
  'node_modules/@types/koa',
  'node_modules/@types/nodemailer',
  'node_modules/ai',
  'node_modules/marked',
  'node_modules/rolldown',
  'node_modules/vite',
  'node_modules/preact',
];
/** The document of the dashboard. Vite writes it after its scripts. */
const DASHBOARD = 'server/dist/dashboard/index.html';
/** The first page of the documentation. The build of the site writes it last. */
const SITE = 'server/dist/site/index.html';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));

step('conformance/generated/openapi.yaml', ['openapi.yaml'], (output) => copyFileSync('openapi.yaml', output));
for (const name of PUBLISHED) step(`${name}/LICENSE`, ['LICENSE'], (output) => copyFileSync('LICENSE', output));
step('sdk/dist/cjs/package.json', ['build.mjs'], (output) => writeFileSync(output, '{ "type": "commonjs" }\n'));
const hasTools = TOOLS.every((tool) => existsSync(tool));
compile();
step(
  'server/generated/contract.json',
  ['openapi.yaml', ...modules('server/dist/modules/contract-compiler')],
  (output) => run('server/dist/modules/contract-compiler/main.js', 'openapi.yaml', dirname(output)),
);
if (hasTools) step(DASHBOARD, dashboardInputs(), () => run(VITE, 'build', 'server/dashboard'));
if (hasTools) step(SITE, siteInputs(), () => run('server/dist/modules/site/main.js', '.', dirname(SITE)));
const { codeFile } = await import('./server/dist/modules/start/load-compiled.js');
step(
  // For this version of Node. The build of the server bundle deletes it.
  codeFile('server/dist/start/program.cjs'),
  ['server/dist/main.cjs', 'server/packaging/store-compiled.mjs', 'server/generated/contract.json'],
  // The service prints its credentials.
  () => runSilently('server/packaging/store-compiled.mjs'),
);
step('mcp/generated/tools.json', ['openapi.yaml', ...modules('mcp/dist'), ...modules('mcp/dist/tools')], (output) =>
  run('mcp/dist/compile-tools.js', 'openapi.yaml', output),
);
step('cli/oclif.manifest.json', ['cli/package.json', 'cli/dist/run.js'], () =>
  run('cli/dist/modules/write-manifest.js'),
);

/**
 * Compiles the projects and joins the server. Without the tools, as after `npm ci --omit=dev`, an earlier build must
 * have done so.
 */
function compile() {
  if (hasTools) {
    run(TSC, '--build', ...Object.keys(PROJECTS));
    step('server/dist/main.cjs', [...JOINS, PROJECTS.server], () => run('server/packaging/bundle.mjs'));
    step('cli/dist/run.js', [...CLI_JOINS, PROJECTS.cli], () => run('cli/bundle.mjs'));
    return;
  }
  if ([...Object.values(PROJECTS), DASHBOARD, SITE].every((built) => existsSync(built))) return;
  console.error('not everything is built, and tools for building are missing: run "npm ci && npm run build"');
  process.exit(1);
}

/** Builds `output` unless it is newer than all of `inputs`. */
function step(output, inputs, make) {
  if (inputs.every((input) => changedAt(input) < changedAt(output))) return;
  mkdirSync(dirname(output), { recursive: true });
  make(output);
}

/** Lists the inputs of the pages: their sources, the client, the roles of each operation, and packages. */
function dashboardInputs() {
  const sources = readdirSync('server/dashboard', { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !/\.test\.tsx?$/.test(file.name))
    .map((file) => join(file.parentPath, file.name));
  return [
    ...sources,
    'sdk/dist/.tsbuildinfo',
    'server/generated/contract.json',
    'server/packaging/notices.mjs',
    'package-lock.json',
  ];
}

/** Lists the inputs of the documentation: its pages, the files that they link to, its own sources, and the contract. */
function siteInputs() {
  const folders = ['docs', 'docs/images', 'deploy', 'server/site/browser', 'server/site/search', 'server/site/styles'];
  return [
    ...folders.flatMap(filesIn),
    ...['README.md', 'CHANGELOG.md', 'SECURITY.md', 'sdk/README.md', 'server/models/README.md'],
    ...['Dockerfile', 'LICENSE', 'conformance/requirements.yaml'],
    ...filesIn('server/dashboard/design'),
    'server/dist/modules/site/.tsbuildinfo',
    'server/generated/openapi.json',
    'package-lock.json',
  ];
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile() && !/\.test\.ts$/.test(file.name))
    .map((file) => join(folder, file.name));
}

/** The built modules of a folder. */
function modules(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name));
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * Runs a program of Node, and ends with its exit code when it fails. Vite writes code for debugging, with the paths of
 * this machine, if the caller has set another NODE_ENV, as test runners do.
 */
function run(program, ...args) {
  runWith('inherit', program, ...args);
}

/** Does the same, and shows only errors. */
function runSilently(program, ...args) {
  runWith('ignore', program, ...args);
}

function runWith(stdout, program, ...args) {
  const env = { ...process.env, NODE_ENV: 'production' };
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: ['inherit', stdout, 'inherit'], env });
  if (status !== 0) process.exit(status ?? 1);
}
