import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Licences that allow a copy in a package of ours. */
const ALLOWED = ['MIT', 'ISC'];

/**
 * Collects the licence texts of the packages that modules come from, which a copy of those modules must carry.
 *
 * @throws {Error} for a package with another licence
 */
export function noticesOf(moduleIds) {
  const folders = new Set(moduleIds.map(packageFolder).filter((folder) => folder !== undefined));
  const notices = [...folders].map(noticeOf).sort();
  return ['The files of this folder contain code of these packages.\n', ...notices].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Undefined for a module of ours. */
function packageFolder(moduleId) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(moduleId)?.[0];
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!ALLOWED.includes(license)) throw new Error(`${name} has the licence ${license}: add it to the dependencies`);
  return `${name} ${version}, ${license}\n\n${licenceText(folder)}\n`;
}

/** The licence file, or what the README says about the licence. */
function licenceText(folder) {
  const files = readdirSync(folder);
  const read = (name) => readFileSync(join(folder, name), 'utf8').trim();
  const licence = files.find((name) => /^licen[cs]e/i.test(name));
  if (licence !== undefined) return read(licence);
  const readme = files.find((name) => /^readme/i.test(name));
  const [, section] = readme === undefined ? [] : read(readme).split(/^#+ *licen[cs]e\s+/im);
  if (section === undefined) throw new Error(`${folder} has no licence text`);
  return section;
}
