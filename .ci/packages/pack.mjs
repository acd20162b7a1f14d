import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PUBLISHED, ROOT } from '../documents.mjs';

const exec = promisify(execFile);

/** Packs the packages as they would be published. Resolves to folder → package. */
export async function packAll(folder) {
  const packed = await Promise.all(PUBLISHED.map(async (name) => [name, await pack(name, join(folder, name))]));
  return Object.fromEntries(packed);
}

async function pack(name, folder) {
  await mkdir(folder, { recursive: true });
  const args = ['pack', '--json', '--silent', '--pack-destination', folder];
  const { stdout } = await exec('npm', args, { cwd: join(ROOT, name), maxBuffer: 2 ** 26 });
  const [{ filename, size, files }] = JSON.parse(stdout);
  const tarball = join(folder, filename);
  await exec('tar', ['-xzf', tarball, '-C', folder]);
  const unpacked = join(folder, 'package');
  const manifest = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
  return { name, tarball, size, files: files.map(({ path }) => path), unpacked, manifest };
}

/** The tarballs of a package and of the packages of this repository that it needs. */
export function tarballsOf(packages, name) {
  const needed = new Set([name]);
  for (const each of needed) {
    const { dependencies, peerDependencies } = packages[each].manifest;
    for (const dependency of Object.keys({ ...dependencies, ...peerDependencies })) {
      const sibling = PUBLISHED.find((other) => packages[other].manifest.name === dependency);
      if (sibling) needed.add(sibling);
    }
  }
  return [...needed].map((each) => packages[each].tarball);
}

/** The packages of others that a package extends, in the versions that it is tested with. */
export function frameworksOf({ manifest: { peerDependencies = {}, devDependencies = {} } }) {
  return Object.keys(peerDependencies)
    .filter((name) => devDependencies[name] !== undefined)
    .map((name) => `${name}@${devDependencies[name]}`);
}
