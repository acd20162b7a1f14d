import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Rooms of the domain, lowest layer first. Each may also import the files beside the rooms. */
const DOMAIN_ROOMS = [
  'fairness',
  'text',
  'memory',
  'filter',
  'documents',
  'retrieval',
  'content-scan',
  'billing',
  'account',
  'inbound',
  'outbound',
];
/** Rooms of a store's adapter, lowest layer first. Each may import those before it. */
const STORE_ROOMS = [
  'engine',
  'search-index',
  'vector-index',
  'keywords',
  'memories',
  'accounts',
  'billing',
  'audit',
  'inbound',
  'outbound',
];
/** Rooms of the services, lowest layer first. */
const SERVICE_ROOMS = [
  'audit',
  'access',
  'billing',
  'outbound',
  'organization',
  'memories',
  'removal',
  'writing',
  'reading',
  'inbound',
  'upkeep',
];
const HTTP_ROOMS = ['contract', 'request', 'response', 'mcp', 'pages'];
/** Rooms of the dashboard, lowest layer first. */
const DASHBOARD_ROOMS = ['kit', 'data', 'shell', 'pages'];
const CONFORMANCE_ROOMS = ['transport', 'world', 'checks', 'run', 'reports', 'local'];

/** Folder → the folders that it may import. Anything not listed is forbidden. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'server/domain': [],
  ...floors('server/domain', DOMAIN_ROOMS, ['server/domain']),
  'server/ports': ['server/domain'],
  ...floors('server/services', SERVICE_ROOMS, ['server/domain', 'server/ports']),
  'server/jobs': ['server/domain', 'server/ports', ...rooms('server/services', SERVICE_ROOMS)],
  'server/config': ['server/domain', 'server/ports'],
  'server/start': [],
  'server/operator': [
    'server/container.ts',
    'server/store-files.ts',
    'server/config',
    'server/domain',
    'server/ports',
    ...rooms('server/services', SERVICE_ROOMS),
  ],
  'server/adapters/agenda': ['server/domain', 'server/ports'],
  ...store('server/adapters/sqlite', ['server/adapters/threads', 'server/adapters/wasm']),
  ...store('server/adapters/mongo'),
  'server/adapters/embedding': [
    'server/domain',
    'server/ports',
    'server/adapters/embedding/local',
    'server/adapters/embedding/requests',
  ],
  'server/adapters/embedding/requests': ['server/domain', 'server/ports'],
  'server/adapters/embedding/local': ['server/domain', 'server/ports', 'server/adapters/wasm'],
  'server/adapters/wasm': [],
  'server/adapters/stripe': ['server/domain', 'server/ports'],
  'server/adapters/http-sender': ['server/domain', 'server/ports'],
  'server/adapters/mail': ['server/domain', 'server/ports'],
  'server/adapters/metrics': ['server/domain', 'server/ports'],
  'server/adapters/telemetry': ['server/domain', 'server/ports'],
  'server/adapters/password': ['server/domain', 'server/ports', 'server/adapters/threads'],
  'server/adapters/threads': ['server/domain', 'server/ports'],
  'server/adapters/text-work': [
    'server/domain',
    'server/ports',
    'server/adapters/embedding/local',
    'server/adapters/threads',
  ],
  'server/adapters/rate-limiter': ['server/domain', 'server/ports'],
  ...floors('server/http', HTTP_ROOMS, ['server/domain', 'server/ports', ...rooms('server/services', SERVICE_ROOMS)]),
  'server/routes': ['server/domain', ...rooms('server/services', SERVICE_ROOMS), ...rooms('server/http', HTTP_ROOMS)],
  ...floors('server/dashboard', DASHBOARD_ROOMS, []),
  'server/dashboard': rooms('server/dashboard', DASHBOARD_ROOMS),
  'sdk/http': [],
  'sdk/generated': ['sdk/http'],
  sdk: ['sdk/http', 'sdk/generated'],
  'sdk/testing': ['sdk/generated'],
  cli: [],
  mcp: [],
  'ai-sdk': [],
  langgraph: [],
  examples: [],
  ...floors('conformance', CONFORMANCE_ROOMS, []),
};

/** Files beside the rooms of a folder, which may import all of them. */
const COMPOSERS = ['conformance/main.ts'];

/** Package → the packages of this repository that it may import. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  sdk: [],
  mcp: ['sdk'],
  'ai-sdk': ['sdk'],
  langgraph: ['sdk'],
  cli: ['sdk'],
  conformance: [],
  server: ['mcp', 'sdk'],
  examples: ['sdk', 'ai-sdk', 'langgraph'],
};

/** The only file of the server, besides its dashboard, that may import packages of this repository. */
const TOOL_SERVER = 'server/tool-server.ts';

/** Leaf files that every layer of the server may use. */
const SEAMS = ['server/errors.ts', 'server/deps.ts', 'server/logger.ts'];

/** The only file that imports the generated types. */
const GENERATED_TYPES = 'server/http/contract/wire.ts';

/** Folders that only tests, measurements and the build may use. */
const SCAFFOLDING = [
  'cli/testing/',
  'server/testing/',
  'server/dashboard/testing/',
  'server/abuse/',
  'server/bench/',
  'server/durability/',
  'server/eval/',
  'server/contract-compiler/',
  'server/site/',
  'conformance/testing/',
];

const sources = ['server', 'sdk', 'cli', 'mcp', 'ai-sdk', 'langgraph', 'examples', 'conformance']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  .filter(
    (file) =>
      /\.tsx?$/.test(file) && !/\.(?:test|d|config)\.tsx?$/.test(file) && !/^[^/]+\/(?:dist|node_modules)\//.test(file),
  );

describe('the layers', () => {
  test('import only the layers below them', () => {
    const trespasses = sources
      .filter((file) => layerOf(file) !== undefined && !isScaffolding(file))
      .flatMap((file) => imports(file).map((imported) => ({ file, imported })))
      .filter(({ file, imported }) => !isAllowed(file, imported))
      .map(({ file, imported }) => `${file} → ${imported}`);

    expect(trespasses).toEqual([]);
  });

  test('contain every folder of sources', () => {
    const loose = sources
      .filter((file) => layerOf(file) === undefined && dirname(file) !== 'server' && !COMPOSERS.includes(file))
      .filter((file) => !isScaffolding(file));

    expect(loose).toEqual([]);
  });
});

test('production code imports nothing that is only for tests or the build', () => {
  const trespasses = sources
    .filter((file) => !isScaffolding(file))
    .flatMap((file) => imports(file).map((imported) => ({ file, imported })))
    .filter(({ imported }) => isScaffolding(imported))
    .map(({ file, imported }) => `${file} → ${imported}`);

  expect(trespasses).toEqual([]);
});

test('packages import only those below them, by their names', () => {
  const trespasses = sources
    .filter((file) => !isScaffolding(file))
    .flatMap((file) => importedPackages(file).map((name) => ({ file, name })))
    .filter(({ file, name }) => !packagesFor(file).includes(name))
    .map(({ file, name }) => `${file} → ${name}`);

  expect(trespasses).toEqual([]);
});

test('only the container, the early thread and the programs for files of a store name adapters', () => {
  const naming = sources
    .filter((file) => ['server', 'server/operator', 'server/config'].includes(dirname(file)))
    .filter((file) => imports(file).some((imported) => imported.startsWith('server/adapters/')));

  expect(naming.sort()).toEqual(['server/container.ts', 'server/early-thread.ts', 'server/store-files.ts']);
});

test('only entry files pass on the environment of the process', () => {
  const reading = sources
    .filter((file) => file.startsWith('server/') && !isScaffolding(file))
    .filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('process.env'));

  expect(reading.sort()).toEqual([
    'server/main.ts',
    'server/operator/provision.ts',
    'server/operator/reembed.ts',
    'server/operator/reencrypt.ts',
    'server/operator/setup-mongodb.ts',
  ]);
});

test('the server imports only types from the generated client', () => {
  const text = readFileSync(join(ROOT, GENERATED_TYPES), 'utf8');

  expect(text.match(/^(?:im|ex)port (?!type)/gm)).toBeNull();
});

/** Lists rooms as layers: each may import those before it and everything in `below`. */
function floors(folder: string, names: readonly string[], below: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(
    names.map((name, at) => [`${folder}/${name}`, [...rooms(folder, names.slice(0, at)), ...below]]),
  );
}

function rooms(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}/${name}`);
}

/** Lists the rooms of a store's adapter, and the files that combine them. Its jobs use the agenda. */
function store(folder: string, others: readonly string[] = []): Record<string, string[]> {
  const below = ['server/domain', 'server/ports', ...others];
  return {
    ...floors(folder, STORE_ROOMS, below),
    [`${folder}/jobs`]: [`${folder}/engine`, 'server/adapters/agenda', ...below],
    [folder]: [...rooms(folder, [...STORE_ROOMS, 'jobs']), 'server/adapters/agenda', ...below],
  };
}

function isAllowed(file: string, imported: string): boolean {
  const from = layerOf(file);
  const to = layerOf(imported);
  if (from === undefined || from === to) return true;
  if (SEAMS.includes(imported)) return from.startsWith('server/');
  if (file === GENERATED_TYPES) return to === 'sdk/generated';
  // For importers outside the domain, its rooms count as one folder.
  const target = from.startsWith('server/domain') ? to : to?.replace(/^server\/domain\/.+/, 'server/domain');
  return (MAY_IMPORT[from] ?? []).includes(target ?? imported);
}

function packagesFor(file: string): readonly string[] {
  if (file.startsWith('server/dashboard/')) return ['sdk'];
  if (file.startsWith('server/') && file !== TOOL_SERVER) return [];
  return PACKAGES[file.split('/', 1)[0] ?? ''] ?? [];
}

/** Returns the packages of this repository that a file imports, without their scope. */
function importedPackages(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return Array.from(text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'@memory-service\/([a-z-]+)/g), ([, name = '']) => name);
}

/** Returns the longest listed folder that contains a file. */
function layerOf(file: string): string | undefined {
  return Object.keys(MAY_IMPORT)
    .filter((layer) => file.startsWith(`${layer}/`))
    .sort((one, other) => other.length - one.length)[0];
}

function isScaffolding(file: string): boolean {
  return SCAFFOLDING.some((folder) => file.startsWith(folder));
}

/** Returns the paths of the project's own modules that a file imports, including type imports. */
function imports(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const specifiers = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+(?<!\.svg|\.css))'/g);
  return Array.from(specifiers, ([, specifier = '']) =>
    relative(ROOT, normalize(join(ROOT, dirname(file), specifier))).replace(/\.js$/, '.ts'),
  );
}
