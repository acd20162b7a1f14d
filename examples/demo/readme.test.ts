import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

function all(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ''))].sort();
}

const configuration = readdirSync(new URL('../../server/config', import.meta.url))
  .filter((file) => /^(?:config|read-.*)\.ts$/.test(file))
  .map((file) => read(`server/config/${file}`))
  .join('\n');

test('docs/configuration.md lists exactly the variables that the server reads', () => {
  const known = all(configuration, /'((?:SERVICE_|APP_|BILLING_|MONGODB_|VOYAGE_|HOST|PORT)[A-Z_]*)'/g);

  const listed = all(read('docs/configuration.md'), /^\| `([A-Z_]+)` \|/gm);

  expect(listed).toEqual(known);
});

test('docs/telemetry.md lists each variable of OpenTelemetry that the server reads itself', () => {
  const known = all(configuration, /['`](OTEL_[^'`]+)['`]/g).flatMap((name) =>
    ['TRACES', 'METRICS'].map((signal) => name.replace(/\$\{\w+\}/, signal)),
  );

  expect(all(read('docs/telemetry.md'), /`(OTEL_[A-Z_]+)`/g)).toEqual(expect.arrayContaining(known));
  expect(known).toContain('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
});

describe('README.md', () => {
  test('names only existing scripts', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

    const named = all(read('README.md'), /npm (?:run )?(demo|start|test|[a-z]+(?=`))/g).filter((name) => name !== 'ci');

    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
    expect(named).toContain('generate');
  });
});

describe('docs/errors.md', () => {
  test('explains every code of the contract', () => {
    const contract = read('openapi.yaml');
    const codes = [
      ...all(contract, /^ *code: \{ type: string, const: ([a-z_]+) \}/gm),
      ...all(contract, /^ *code: \{ type: string, enum: \[([a-z_, ]+)\] \}/gm).flatMap((list) => list.split(', ')),
    ];

    const explained = all(read('docs/errors.md'), /`([a-z]+(?:_[a-z]+)*)`/g);

    expect(explained).toEqual(expect.arrayContaining(codes));
    expect(codes.length).toBeGreaterThan(10);
  });
});
