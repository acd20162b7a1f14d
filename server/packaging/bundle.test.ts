import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const SERVER = fileURLToPath(new URL('..', import.meta.url));
/** Package with native code, which a bundle cannot contain. npm installs it with the server. */
const NATIVE = '@photostructure/sqlite';
/** The entry file, its program, and the modules that this imports after the thread for index files has started. */
const START = ['main.ts', 'program.ts', 'service.ts', 'container.ts'].map((file) => join(SERVER, file));

test('every package that a start imports is bundled, unless it is native', () => {
  const packages = packagesOf(...START);

  expect(packages.filter((name) => name in manifest.dependencies)).toEqual([NATIVE]);
});

test('the SDK of OpenTelemetry is loaded only if its variables ask for it', () => {
  const loaded = packagesOf(...START).filter((name) => name.startsWith('@opentelemetry/'));
  const onDemand = packagesOf(join(SERVER, 'adapters/telemetry/open-telemetry.ts'));

  expect(loaded).toEqual([]);
  expect(onDemand).toContain('@opentelemetry/sdk-trace-base');
});

/** Returns the packages that modules import statically, directly or not, in alphabetical order. */
function packagesOf(...entries: readonly string[]): string[] {
  const packages = new Set<string>();
  const files = new Set(entries);
  for (const file of files) {
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('.')) files.add(join(dirname(file), specifier.replace(/\.js$/, '.ts')));
      else if (!/^(?:node:|#)/.test(specifier)) packages.add(packageOf(specifier));
    }
  }
  return [...packages].sort();
}

function importsOf(file: string): string[] {
  const statements = readFileSync(file, 'utf8').matchAll(/^(?:im|ex)port (?!type\b)(?:[^;']* from )?'([^']+)';$/gm);
  return Array.from(statements, ([, specifier = '']) => specifier);
}

function packageOf(specifier: string): string {
  const [name = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
  return name;
}
