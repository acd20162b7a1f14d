// Copies what the built server needs at run time into an empty folder: its packages as they are published, and their
// dependencies in the versions of the lock file. The Dockerfile runs it after the build.
//
//   node deploy/gather.mjs FOLDER
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SERVER = '@memory-service/server';
/** Where the build of the server puts the code of its start. */
const START = join('dist', 'start');
/** Sources of native code, and what only compilers and debuggers read: half of the size. */
const UNUSED =
  /\.map$|\.d\.[cm]?ts$|\/usearch\/(?:numkong|include|c|cpp)(?:\/|$)|\/@photostructure\/sqlite\/(?:src|binding\.gyp)(?:\/|$)/;
const PREBUILD = /\/prebuilds\/([^/]+)/;
const PLATFORM = `${process.platform}-${process.arch}`;

const [target] = process.argv.slice(2);
if (target === undefined || existsSync(join(target, 'node_modules'))) {
  console.error('usage: node deploy/gather.mjs FOLDER, which must be new or empty');
  process.exit(2);
}

/** Folder of a package in the build → its folder in the target. */
const gathered = new Map();
gather(SERVER, ROOT);
for (const [from, to] of gathered) copy(from, join(target, to));
copyCompiled();
linkPrograms();
console.log(`${gathered.size} packages in ${target}`);

/** Adds a package that `from` imports, and what that package imports. */
function gather(name, from) {
  const found = resolve(name, from);
  const folder = realpathSync(found);
  if (gathered.has(folder)) return;
  gathered.set(folder, placeOf(found, name));
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(folder);
  const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  for (const each of [...Object.keys(dependencies), ...peers]) gather(each, folder);
}

/** Looks a package up as Node does. */
function resolve(name, from) {
  const path = join(from, 'node_modules', name);
  if (existsSync(path)) return path;
  const above = dirname(from);
  if (above === from) throw new Error(`${name} is not installed`);
  return resolve(name, above);
}

/** Returns the place of a package. The dependencies of a workspace, if it has its own, stay below it. */
function placeOf(path, name) {
  const [workspace, inside] = relative(ROOT, path).split(/\/(?=node_modules\/)/);
  if (inside === undefined || workspace === 'node_modules') return relative(ROOT, path);
  return join('node_modules', manifestOf(join(ROOT, workspace)).name, 'node_modules', name);
}

function copy(from, to) {
  const isOurs = !relative(ROOT, from).startsWith('node_modules');
  if (!isOurs) {
    cpSync(from, to, {
      recursive: true,
      filter: (path) => isNeeded(path) && !path.startsWith(join(from, 'node_modules')),
    });
    return;
  }
  for (const file of filesOf(from)) cpSync(join(from, file), join(to, file));
}

function isNeeded(path) {
  const platform = PREBUILD.exec(path)?.[1];
  return !UNUSED.test(path) && (platform === undefined || platform === PLATFORM);
}

/** Returns the files of one of our packages that npm would publish. */
function filesOf(folder) {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--silent'], { cwd: folder, encoding: 'utf8' });
  const [{ files }] = JSON.parse(listed);
  return files.map(({ path }) => path).filter(isNeeded);
}

/** Copies the compiled code of the service, which npm does not publish: it is for this version of Node. */
function copyCompiled() {
  const [from, to] = [join(ROOT, 'server', START), join(target, 'node_modules', SERVER, START)];
  for (const name of readdirSync(from)) if (name.endsWith('.code')) cpSync(join(from, name), join(to, name));
}

function linkPrograms() {
  mkdirSync(join(target, 'bin'));
  const folder = join('..', 'node_modules', SERVER);
  for (const [program, file] of Object.entries(manifestOf(join(ROOT, 'server')).bin)) {
    symlinkSync(join(folder, file), join(target, 'bin', program));
  }
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
