import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The folder that keeps the installed peers from one run to the next. */
const FOLDER = join(homedir(), '.cache', 'memory-service', 'peers');

/** Installs npm packages, given as `name@version`, and returns the folder that contains them. */
export async function installFromNpm(name: string, packages: readonly string[]): Promise<string> {
  const folder = await ownFolder(name);
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--engine-strict=false'];
  await run('npm', ['install', '--prefix', folder, ...options, ...packages], { cwd: folder });
  return join(folder, 'node_modules');
}

/** Installs a wheel without its dependencies, and returns the folder to import it from. */
export async function installFromPypi(name: string, requirement: string): Promise<string> {
  const folder = await ownFolder(`${name}-${requirement}`);
  const options = ['--quiet', '--no-deps', '--only-binary', ':all:', '--root-user-action', 'ignore'];
  await run('python3', ['-m', 'pip', 'install', ...options, '--target', folder, '--upgrade', requirement]);
  return folder;
}

async function ownFolder(name: string): Promise<string> {
  const folder = join(FOLDER, name);
  await mkdir(folder, { recursive: true });
  return folder;
}
