// Builds what changed since the last build: the packages, what the server and the tools read of the contract, and the
// list of commands of the CLI. With nothing to do it only compares times of files, since `npm start` begins with it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The packages that no other one refers to; TypeScript builds the others with them. */
const PACKAGES = ['cli', 'conformance', 'server', 'examples'];

process.chdir(fileURLToPath(new URL('.', import.meta.url)));

step('conformance/generated/openapi.yaml', ['openapi.yaml'], (output) => copyFileSync('openapi.yaml', output));
run('node_modules/typescript/bin/tsc', '--build', ...PACKAGES);
step('server/generated/contract.json', ['openapi.yaml', ...modules('server/dist/contract-compiler')], (output) =>
  run('server/dist/contract-compiler/main.js', 'openapi.yaml', dirname(output)),
);
step('mcp/generated/tools.json', ['openapi.yaml', ...modules('mcp/dist'), ...modules('mcp/dist/tools')], (output) =>
  run('mcp/dist/compile-tools.js', 'openapi.yaml', output),
);
step('cli/oclif.manifest.json', ['cli/package.json', 'cli/dist/.tsbuildinfo'], () => run('cli/dist/write-manifest.js'));

/** Makes `output` unless it is newer than all of `inputs`. */
function step(output, inputs, make) {
  if (inputs.every((input) => changedAt(input) < changedAt(output))) return;
  mkdirSync(dirname(output), { recursive: true });
  make(output);
}

function modules(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name));
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Runs a program of Node, and ends with its exit code when it fails. */
function run(program, ...args) {
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
