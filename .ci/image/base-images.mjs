import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../documents.mjs';
import { parseDockerfile } from './dockerfile.mjs';

const exec = promisify(execFile);
const DEBIAN = /^debian:(\w+)-slim$/;

/**
 * Pulls the images that the Dockerfile begins with. If there is no registry, makes images of the same names: a minimal
 * Debian from its archive, and the same with the Node and npm of this machine.
 *
 * @returns the name of the Debian, and whether the images are the real ones
 */
export async function provideBaseImages(podman, folder) {
  const names = await baseImages();
  const pulled = await Promise.all(names.map((name) => podman.call('pull', `docker.io/library/${name}`)));
  const debian = names.find((name) => DEBIAN.test(name));
  if (pulled.every(({ code }) => code === 0)) return { debian, isReal: true };
  const root = join(folder, 'debian');
  await exec('debootstrap', ['--variant=minbase', DEBIAN.exec(debian)[1], root], { maxBuffer: 2 ** 26 });
  await exec('tar', ['-C', root, '-cf', `${root}.tar`, '.']);
  await podman.must('import', `${root}.tar`, `docker.io/library/${debian}`);
  const node = join(folder, 'node');
  await copyNode(join(node, 'usr/local'));
  await writeFile(join(node, 'Dockerfile'), `FROM docker.io/library/${debian}\nCOPY usr /usr\n`);
  for (const name of names.filter((each) => each !== debian)) await podman.build(`docker.io/library/${name}`, node);
  return { debian, isReal: false };
}

async function baseImages() {
  return parseDockerfile(await readFile(join(ROOT, 'Dockerfile'), 'utf8')).map(({ base }) => base);
}

export async function copyNode(target) {
  const npm = dirname(dirname(await realpath(join(dirname(process.execPath), 'npm'))));
  await mkdir(join(target, 'bin'), { recursive: true });
  await copyFile(process.execPath, join(target, 'bin/node'));
  await cp(npm, join(target, 'lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(target, 'bin', name));
}
