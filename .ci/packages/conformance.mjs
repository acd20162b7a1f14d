import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bin, run } from './processes.mjs';

/**
 * A part that writes, reads and deletes. Without subject keys, which need a type in the settings first, it needs nothing
 * but a token.
 */
const SECTION = '4.6';
/** The text that each report must contain. */
const REPORTS = {
  'report.html': 'Conforms',
  'report.json': '"conforms": true',
  'report.xml': 'failures="0"',
  'badge.svg': 'pass',
};

/**
 * Runs a part of the installed suite against a server with the limits and settings that there are by default, and again
 * with a wrong token.
 */
export async function checkConformance(cwd, { baseUrl, token }, print) {
  const access = ['--base-url', baseUrl, '--section', SECTION, '--without', 'subject-keys'];
  const reports = ['html report.html', 'json report.json', 'junit report.xml', 'badge badge.svg'];
  const wanted = reports.flatMap((report) => ['--report', ...report.split(' ')]);
  const passed = await run(bin(cwd, 'memory-conformance'), [...access, '--token', token, ...wanted], { cwd });
  const refused = await run(bin(cwd, 'memory-conformance'), [...access, '--token', `${token}x`], { cwd });
  print(`memory-conformance --section ${SECTION}: ${passed.output.trimEnd().split('\n').slice(-2).join(', ')}`);

  const written = await Promise.all(
    Object.entries(REPORTS).map(async ([file, mark]) => {
      const text = await readFile(join(cwd, file), 'utf8').catch(() => '');
      return text.includes(mark) ? [] : [`${file} does not say ${mark}`];
    }),
  );
  const headers = { authorization: `Bearer ${token}` };
  const left = await (await fetch(`${baseUrl}/api/memories/stats`, { headers })).json();
  return [
    ...(passed.code === 0 ? [] : [`the suite ended with ${passed.code}:\n${passed.output}`]),
    ...(refused.code === 2 ? [] : [`the suite ended with ${refused.code} when the token is wrong`]),
    ...written.flat(),
    ...(left.meta.total === 0 ? [] : [`the suite left ${left.meta.total} memories behind`]),
  ];
}
