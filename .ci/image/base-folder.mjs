import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyNode } from './base-images.mjs';

const exec = promisify(execFile);
const UNUSED = /^\/usr\/share\/(?:doc|man|locale|info|zoneinfo)\//;

/** Fills a folder with what stands in for a base image: the packages of a minimal Debian, as this machine has them. */
export async function fillBase(folder, image) {
  const [name] = image.split(':');
  if (name !== 'node' && name !== 'debian') throw new Error(`this check does not know the base image ${image}`);
  // /bin and its like are links to these.
  await Promise.all(
    ['bin', 'sbin', 'lib', 'lib64'].map((each) => mkdir(join(folder, 'usr', each), { recursive: true })),
  );
  const list = `${folder}.files`;
  const files = (await filesOf(await minimalPackages())).filter((path) => path !== '/.' && !UNUSED.test(path));
  await writeFile(list, files.map((path) => path.slice(1)).join('\n'));
  const archive = `${folder}.tar`;
  const options = ['--no-recursion', '--ignore-failed-read', '-C', '/', '-T', list, '-cf', archive];
  await exec('tar', options, { maxBuffer: 2 ** 26 });
  await exec('tar', ['-xf', archive, '-C', folder]);
  for (const each of ['passwd', 'group']) {
    await copyFile(join('/usr/share/base-passwd', `${each}.master`), join(folder, 'etc', each));
  }
  await Promise.all(['proc', 'dev', 'tmp', 'root'].map((each) => mkdir(join(folder, each), { recursive: true })));
  if (name === 'node') await copyNode(join(folder, 'usr/local'));
}

/** Returns the required packages of Debian and those that they need. */
async function minimalPackages() {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the names are those of dpkg-query.
  const format = '${binary:Package}\t${Priority}\t${Pre-Depends}, ${Depends}\n';
  const { stdout } = await exec('dpkg-query', ['--show', `--showformat=${format}`], { maxBuffer: 2 ** 26 });
  const rows = stdout
    .trim()
    .split('\n')
    .map((row) => row.split('\t'));
  const needs = new Map(rows.map(([name, , depends]) => [plain(name), depends.split(/[,|]/).map(plain)]));
  const found = new Set(rows.filter(([, priority]) => priority === 'required').map(([name]) => plain(name)));
  for (const name of found) {
    for (const need of needs.get(name)) if (needs.has(need)) found.add(need);
  }
  return found;
}

/** Removes the architecture and the version of a package. */
function plain(name) {
  return name.trim().split(/[\s:(]/)[0];
}

async function filesOf(packages) {
  const { stdout } = await exec('dpkg-query', ['--listfiles', ...packages], { maxBuffer: 2 ** 26 });
  return [...new Set(stdout.split('\n').filter((line) => line.startsWith('/')))];
}
