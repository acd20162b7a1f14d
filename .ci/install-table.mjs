#!/usr/bin/env node
// Installs each of our packages and, beside them, the clients of others in empty folders, and prints what that costs:
// the table of docs/benchmarks.md. Each is installed twice, the second time from npm's cache, which is what is timed.
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PUBLISHED } from './documents.mjs';
import { install } from './packages/install.mjs';
import { frameworksOf, packAll, tarballsOf } from './packages/pack.mjs';

const OTHERS = ['supermemory@4.25.4', 'openai@7.57.0', 'mem0ai@3.3.1'];

for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1));
const folder = await mkdtemp(join(tmpdir(), 'memory-installs-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const packages = await packAll(join(folder, 'packed'));
const rows = [
  ...PUBLISHED.map((name) => [
    packages[name].manifest.name,
    [...tarballsOf(packages, name), ...frameworksOf(packages[name])],
  ]),
  ...OTHERS.map((spec) => [spec, [spec]]),
];

console.log('| package | packages | MB | seconds |\n| --- | --- | --- | --- |');
for (const [index, [name, specs]] of rows.entries()) {
  await install(join(folder, `${index}-first`), specs);
  const { packages: count, megabytes, seconds } = await install(join(folder, `${index}`), specs);
  console.log(`| ${name} | ${count} | ${megabytes.toFixed(1)} | ${seconds.toFixed(1)} |`);
}
