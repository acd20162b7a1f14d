import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';
import { run } from './processes.mjs';

const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url));
/** Platform → the packages that hold the programs of Bun and Deno, with those in them. */
const RUNTIMES = {
  'linux-x64': {
    bun: ['@oven/bun-linux-x64-baseline@1.4.5', 'bin/bun'],
    deno: ['@deno/linux-x64-glibc@2.9.6', 'deno'],
  },
  'linux-arm64': { bun: ['@oven/bun-linux-aarch64@1.4.5', 'bin/bun'], deno: ['@deno/linux-arm64-glibc@2.9.6', 'deno'] },
  'darwin-x64': { bun: ['@oven/bun-darwin-x64@1.4.5', 'bin/bun'], deno: ['@deno/darwin-x64@2.9.6', 'deno'] },
  'darwin-arm64': { bun: ['@oven/bun-darwin-aarch64@1.4.5', 'bin/bun'], deno: ['@deno/darwin-arm64@2.9.6', 'deno'] },
};

/**
 * Installs the runtimes beside Node, which cannot be dependencies of this repository: they are larger than all of it.
 * Resolves to name → program, without those that this machine cannot run.
 */
export async function installRuntimes(folder, print) {
  const platform = `${process.platform}-${process.arch}`;
  const found = await Promise.all(
    Object.entries(RUNTIMES[platform] ?? { bun: [], deno: [] }).map(async ([name, [spec, path]]) => {
      const program = spec && (await installRuntime(join(folder, name), spec, path));
      const version = program && (await run(program, ['--version'], { cwd: folder }));
      if (version?.code === 0) return [[name, program]];
      const words = `NO ${name.toUpperCase()} ON ${platform}: THE CLIENT WAS NOT TRIED UNDER IT`;
      print(version ? `${words}: ${version.output}` : words);
      return [];
    }),
  );
  return Object.fromEntries(found.flat());
}

async function installRuntime(folder, spec, path) {
  try {
    await install(folder, [spec]);
    return join(folder, 'node_modules', spec.slice(0, spec.lastIndexOf('@')), path);
  } catch {
    return undefined;
  }
}

/** Runs a program on the client that is installed in `cwd`, under each runtime. */
export async function checkRuntimes(cwd, { env, baseUrl, token }, { bun, deno }, print) {
  for (const file of ['use-client.mjs', 'use-client.cjs']) await copyFile(join(PROGRAMS, file), join(cwd, file));
  const net = `--allow-net=${new URL(baseUrl).host}`;
  const names = '--allow-env=MEMORY_BASE_URL,MEMORY_TOKEN,MEMORY_ORGANIZATION_ID';
  const ways = [
    ['Node, import', process.execPath, ['use-client.mjs']],
    ['Node, require', process.execPath, ['use-client.cjs']],
    ['Bun, import', bun, ['use-client.mjs']],
    ['Bun, require', bun, ['use-client.cjs']],
    ['Deno', deno, ['run', '--no-prompt', net, names, 'use-client.mjs']],
    ['Deno without --allow-env and --allow-read', deno, ['run', '--no-prompt', net, 'use-client.mjs', baseUrl, token]],
  ];
  const faults = [];
  for (const [name, program, args] of ways.filter(([, program]) => program !== undefined)) {
    const { code, output } = await run(program, args, { cwd, env: { ...env, DENO_NO_UPDATE_CHECK: '1' } });
    print(`${name}: ${code === 0 ? output.trim() : 'FAILED'}`);
    if (code !== 0) faults.push(`${name}: ended with ${code}:\n${output}`);
  }
  return faults;
}
