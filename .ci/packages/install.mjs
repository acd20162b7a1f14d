import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './processes.mjs';

/**
 * Installs packages in an empty folder, without development dependencies and install scripts: nothing may need one.
 *
 * @param specs names with versions, or tarballs
 * @returns how many packages were installed, their size, how long it took, and what npm warned of
 */
export async function install(folder, specs) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const startedAt = performance.now();
  const args = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...specs];
  const { code, output } = await run('npm', args, { cwd: folder });
  if (code !== 0) throw new Error(`npm install ended with ${code}:\n${output}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  const modules = join(folder, 'node_modules');
  const { packages } = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'));
  return {
    packages: Object.keys(packages).length,
    megabytes: (await bytesIn(modules)) / 1e6,
    seconds,
    faults: /EBADENGINE/.test(output) ? [`npm warns about engines:\n${output}`] : [],
  };
}

export async function isInstalled(folder, name) {
  return (await stat(join(folder, 'node_modules', name)).catch(() => undefined)) !== undefined;
}

async function bytesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
