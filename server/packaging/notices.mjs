import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Licences that allow a copy of the code in our packages. */
const ALLOWED = ['MIT', 'ISC', 'Apache-2.0'];

/**
 * Collects the licence texts of the packages of modules. A copy of the modules must include them.
 *
 * @throws {Error} for a package with another licence
 */
export function noticesOf(moduleIds) {
  const folders = new Set(moduleIds.map(packageFolder).filter((folder) => folder !== undefined));
  const titles = new Map();
  for (const { title, text } of [...folders].map(noticeOf)) titles.set(text, [...(titles.get(text) ?? []), title]);
  const notices = [...titles].map(([text, names]) => `${names.sort().join('\n')}\n\n${text}\n`).sort();
  return ['The files of this folder contain code of these packages.\n', ...notices].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Returns undefined for our own modules. */
function packageFolder(moduleId) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(moduleId)?.[0];
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!ALLOWED.includes(license)) throw new Error(`${name} has the licence ${license}: add it to the dependencies`);
  return { title: `${name} ${version}, ${license}`, text: licenceText(folder) };
}

/** Returns the licence file and the notices that go with it, or the licence section of the README. */
function licenceText(folder) {
  const files = readdirSync(folder);
  const read = (name) => readFileSync(join(folder, name), 'utf8').trim();
  const licence = files.find((name) => /^licen[cs]e/i.test(name));
  const notice = files.find((name) => /^notice/i.test(name));
  if (licence !== undefined)
    return [licence, notice]
      .filter((name) => name !== undefined)
      .map(read)
      .join('\n\n');
  const readme = files.find((name) => /^readme/i.test(name));
  const [, section] = readme === undefined ? [] : read(readme).split(/^#+ *licen[cs]e\s+/im);
  if (section === undefined) throw new Error(`${folder} has no licence text`);
  return section;
}
