import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Folder → the folders that it may import. Anything not listed is forbidden. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'server/domain': [],
  'server/ports': ['server/domain'],
  'server/services': ['server/domain', 'server/ports'],
  'server/jobs': ['server/domain', 'server/ports', 'server/services'],
  'server/adapters/agenda': ['server/domain', 'server/ports'],
  'server/adapters/sqlite': ['server/domain', 'server/ports', 'server/adapters/agenda'],
  'server/adapters/mongo': ['server/domain', 'server/ports', 'server/adapters/agenda'],
  'server/adapters/embedding': ['server/domain', 'server/ports'],
  'server/adapters/stripe': ['server/domain', 'server/ports'],
  'server/adapters/http-sender': ['server/domain', 'server/ports'],
  'server/adapters/mail': ['server/domain', 'server/ports'],
  'server/adapters/password': ['server/ports'],
  'server/adapters/rate-limiter': ['server/domain', 'server/ports'],
  'server/http': ['server/domain', 'server/ports', 'server/services'],
  'server/routes': ['server/domain', 'server/services', 'server/http'],
  'sdk/generated': [],
  sdk: ['sdk/generated'],
  'sdk/testing': ['sdk/generated'],
  cli: ['sdk'],
  mcp: ['sdk'],
  examples: ['sdk'],
  conformance: [],
};

/** Leaf files that every layer of the server may use. */
const SEAMS = ['server/errors.ts', 'server/deps.ts', 'server/logger.ts'];

/** The one file that meets the generated types. */
const GENERATED_TYPES = 'server/http/wire.ts';

/** What only tests and measurements may use. */
const SCAFFOLDING = ['cli/testing/', 'server/testing/', 'server/bench/', 'server/durability/', 'conformance/testing/'];

const sources = ['server', 'sdk', 'cli', 'mcp', 'examples', 'conformance']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  .filter(
    (file) =>
      file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts') && !file.endsWith('.config.ts'),
  );

describe('the layers', () => {
  test('import only what lies below them', () => {
    const trespasses = sources
      .filter((file) => layerOf(file) !== undefined && !isScaffolding(file))
      .flatMap((file) => imports(file).map((imported) => ({ file, imported })))
      .filter(({ file, imported }) => !isAllowed(file, imported))
      .map(({ file, imported }) => `${file} → ${imported}`);

    expect(trespasses).toEqual([]);
  });

  test('hold every folder of sources', () => {
    const loose = sources
      .filter((file) => layerOf(file) === undefined && dirname(file) !== 'server')
      .filter((file) => !isScaffolding(file));

    expect(loose).toEqual([]);
  });
});

test('nothing that runs in production imports what is there for tests', () => {
  const trespasses = sources
    .filter((file) => !isScaffolding(file))
    .flatMap((file) => imports(file).map((imported) => ({ file, imported })))
    .filter(({ imported }) => isScaffolding(imported))
    .map(({ file, imported }) => `${file} → ${imported}`);

  expect(trespasses).toEqual([]);
});

test('only the container names adapters', () => {
  const naming = sources
    .filter((file) => dirname(file) === 'server')
    .filter((file) => imports(file).some((imported) => imported.startsWith('server/adapters/')));

  expect(naming).toEqual(['server/container.ts']);
});

test('only entry files hand on the environment of the process', () => {
  const reading = sources
    .filter((file) => file.startsWith('server/') && !isScaffolding(file))
    .filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('process.env'));

  expect(reading.sort()).toEqual([
    'server/main.ts',
    'server/provision.ts',
    'server/reembed.ts',
    'server/reencrypt.ts',
    'server/setup-mongodb.ts',
  ]);
});

test('the server takes no more than types from the generated client', () => {
  const text = readFileSync(join(ROOT, GENERATED_TYPES), 'utf8');

  expect(text.match(/^(?:im|ex)port (?!type)/gm)).toBeNull();
});

function isAllowed(file: string, imported: string): boolean {
  const from = layerOf(file);
  const to = layerOf(imported);
  if (from === undefined || from === to) return true;
  if (SEAMS.includes(imported)) return from.startsWith('server/');
  if (file === GENERATED_TYPES) return to === 'sdk/generated';
  return to !== undefined && (MAY_IMPORT[from] ?? []).includes(to);
}

/** The longest listed folder that a file is in. */
function layerOf(file: string): string | undefined {
  return Object.keys(MAY_IMPORT)
    .filter((layer) => file.startsWith(`${layer}/`))
    .sort((one, other) => other.length - one.length)[0];
}

function isScaffolding(file: string): boolean {
  return SCAFFOLDING.some((folder) => file.startsWith(folder));
}

/** Paths of the project's own files that a file imports, types included. */
function imports(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const specifiers = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g);
  return Array.from(specifiers, ([, specifier = '']) =>
    relative(ROOT, normalize(join(ROOT, dirname(file), specifier))).replace(/\.js$/, '.ts'),
  );
}
