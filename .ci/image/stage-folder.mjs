import { execFile } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../documents.mjs';
import { fillBase } from './base-folder.mjs';
import { startConfined } from './confined.mjs';
import { containerSettings, readCopy } from './dockerfile.mjs';

const exec = promisify(execFile);
const INSTALLS = /^npm ci\b/;
const BUILDS = 'npm run build';

/** Follows the steps of a stage in a folder. `stages` are the folders of the earlier ones, by their names. */
export async function followSteps(stage, folder, { stages, files, print }) {
  await fillBase(folder, stage.base);
  const binds = [];
  let workdir = '/';
  for (const [at, step] of stage.steps.entries()) {
    const { name, rest, line } = step;
    if (name === 'WORKDIR') {
      workdir = rest;
      await mkdir(join(folder, workdir), { recursive: true });
    }
    if (name === 'COPY') await copy(step, folder, { workdir, stages, files });
    if (name !== 'RUN') continue;
    if (INSTALLS.test(rest)) {
      print(`line ${line}: ${rest}: the packages that are installed in this checkout take its place`);
      binds.push([join(ROOT, 'node_modules'), posix.join(workdir, 'node_modules')]);
      continue;
    }
    if (rest === BUILDS) {
      print(`line ${line}: ${rest}: it begins with what is built in this checkout`);
      await copyFiles(await builtFiles(), ROOT, join(folder, workdir));
    }
    const { env } = containerSettings({ steps: stage.steps.slice(0, at) });
    const { code, output } = await startConfined(folder, { env, workdir, binds }, ['/bin/sh', '-c', rest]).end();
    if (code !== 0) throw new Error(`Dockerfile, line ${line}: ${rest} ended with ${code}:\n${output.slice(-2_000)}`);
  }
}

async function copy(step, folder, { workdir, stages, files }) {
  const { from, sources, target } = readCopy(step);
  const to = join(folder, posix.resolve(workdir, target));
  if (from === undefined) return copyContext(step, files, to);
  for (const source of sources) {
    const path = join(stages[from], source);
    const found = await stat(path).catch(() => undefined);
    if (!found) throw new Error(`Dockerfile, line ${step.line}: ${source} is not in the stage ${from}`);
    await mkdir(found.isDirectory() ? to : dirname(to), { recursive: true });
    await exec('cp', ['-a', found.isDirectory() ? `${path}/.` : path, to]);
  }
}

/** Copies files and the contents of folders. A target with a slash at its end is a folder. */
async function copyContext(step, files, to) {
  const { sources, target } = readCopy(step);
  for (const source of sources) {
    const path = posix.normalize(source).replace(/\/$/, '');
    if (files.includes(path)) {
      if (!target.endsWith('/')) throw new Error(`Dockerfile, line ${step.line}: ${target} must end with a slash`);
      await mkdir(to, { recursive: true });
      await exec('cp', ['-a', '--no-preserve=ownership', join(ROOT, path), to]);
    } else {
      const inside = path === '.' ? files : filesBelow(files, path).map((each) => posix.relative(path, each));
      await copyFiles(inside, join(ROOT, path), to);
    }
  }
}

/** Returns whether a path of the build context is one of its files, or a folder of them. */
export function isInContext(files, source) {
  const path = posix.normalize(source).replace(/\/$/, '');
  return path === '.' || files.includes(path) || filesBelow(files, path).length > 0;
}

function filesBelow(files, folder) {
  return files.filter((file) => file.startsWith(`${folder}/`));
}

/** Copies files with their exact times, of which the usual format of tar keeps only the seconds: a build compares them. */
async function copyFiles(paths, from, to) {
  await mkdir(to, { recursive: true });
  const copy = 'tar -C "$1" --format=posix --null -T - -cf - | tar -C "$2" --no-same-owner -xf -';
  const child = exec('sh', ['-c', copy, 'sh', from, to]);
  child.child.stdin.end(paths.map((path) => `${path}\0`).join(''));
  await child;
}

/** Returns files and folders that the build of this checkout has made. */
async function builtFiles() {
  const options = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const { stdout } = await exec('git', options, { cwd: ROOT, maxBuffer: 2 ** 26 });
  const built = /^[\w-]+\/(?:dist\/|generated\/|LICENSE|oclif\.manifest\.json)$/;
  return stdout.split('\0').filter((path) => built.test(path));
}
