// Builds what changed since the last build: the contract for the packages that ship it, the packages, and the list of
// commands of the CLI. With nothing to do it only compares times of files, since `npm start` begins with it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Packages whose tarball holds openapi.yaml. */
const SHIP_CONTRACT = ['conformance', 'mcp', 'server'];
/** The packages that no other one refers to; TypeScript builds the others with them. */
const PACKAGES = ['cli', 'conformance', 'server', 'examples'];

process.chdir(fileURLToPath(new URL('.', import.meta.url)));

for (const name of SHIP_CONTRACT) {
  step(`${name}/generated/openapi.yaml`, ['openapi.yaml'], (output) => copyFileSync('openapi.yaml', output));
}
run('node_modules/typescript/bin/tsc', '--build', ...PACKAGES);
step('cli/oclif.manifest.json', ['cli/package.json', 'cli/dist/.tsbuildinfo'], () => run('cli/dist/write-manifest.js'));

/** Makes `output` unless it is newer than all of `inputs`. */
function step(output, inputs, make) {
  if (inputs.every((input) => changedAt(input) < changedAt(output))) return;
  mkdirSync(dirname(output), { recursive: true });
  make(output);
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Runs a program of Node, and ends with its exit code when it fails. */
function run(program, ...args) {
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
