#!/usr/bin/env node
// Checks the files of deploy/ by the programs that read them: the compose files by the rules of the Compose Specification,
// the systemd unit by systemd-analyze, and the Caddyfile by Caddy. server/deployment.test.ts checks their values.
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../documents.mjs';
import { containerSettings, parseDockerfile } from '../image/dockerfile.mjs';
import { composeFaults, merge } from './compose.mjs';
import { caddyFaults, unitFaults } from './programs.mjs';

/** The files that docs/deploy.md starts together. */
const STARTED = ['compose.yaml', 'compose.mongodb.yaml'].flatMap((name) => [[name], [name, 'compose.caddy.yaml']]);

const folder = await mkdtemp(join(tmpdir(), 'memory-deployment-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1));
const read = (path) => readFile(join(ROOT, path), 'utf8');

const { bin } = JSON.parse(await read('server/package.json'));
const { health } = containerSettings(parseDockerfile(await read('Dockerfile')).at(-1));
const known = {
  image: { isHealthChecked: health !== undefined },
  exists: (path) => existsSync(join(ROOT, 'deploy', path)),
  isPublic: (name) => name === 'caddy',
};
const faults = (
  await Promise.all([
    ...STARTED.map(async (names) => {
      const files = await Promise.all(names.map(async (name) => parse(await read(`deploy/${name}`), { merge: true })));
      return composeFaults(merge(files), known).map((fault) => `${names.join(' and ')}: ${fault}`);
    }),
    unitFaults(folder, Object.keys(bin)),
    caddyFaults(folder),
  ])
).flat();
for (const fault of faults) console.error(`fault: ${fault}`);
if (faults.length === 0) console.log(`deploy: compose files, systemd unit and Caddyfile checked`);
process.exitCode = faults.length === 0 ? 0 : 1;
