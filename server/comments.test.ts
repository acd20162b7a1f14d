import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['server', 'sdk', 'cli', 'mcp', 'ai-sdk', 'langgraph', 'conformance', 'examples', '.ci'];

const NUMBER = String.raw`\d{1,2}(?:\.\d{1,2})?`;
const NUMBERS = `${NUMBER}(?:(?:, | and |, and | to )${NUMBER})*`;
/** Matches "section 4.1", "sections 4.1, 4.2 and 4.5", "part 7", but not the sections of an RFC. */
const NAMED = new RegExp(String.raw`(?<!RFC \d+, )\b(?:section|part)s? (${NUMBERS})\b`, 'g');
/** Matches "(4.13)" and "(5.1 to 5.3, 7)", the form in the conformance suite. */
const IN_PARENTHESES = new RegExp(String.raw`\((\d\.\d{1,2}(?:(?:, | and | to )${NUMBER})*)[),]`, 'g');
const COMMENT = /\/\*\*?[\s\S]*?\*\/|(?<=^\s*)\/\/.*$/gm;

const ledger = Object.keys(parse(readFileSync(join(ROOT, 'conformance/requirements.yaml'), 'utf8')) as object);

const comments = FOLDERS.flatMap((name) =>
  readdirSync(join(ROOT, name), { recursive: true, encoding: 'utf8' }).map((file) => join(name, file)),
)
  .concat('build.mjs')
  .filter((file) => /(?<!\.d)\.(?:tsx?|mjs|css)$/.test(file))
  .filter((file) => !/(?:^|\/)(?:dist|node_modules|generated)\//.test(file))
  .flatMap((file) => commentsOf(file).map((text) => ({ file, text })));

test('every section that a comment cites is in conformance/requirements.yaml', () => {
  const cited = comments.flatMap(({ file, text }) => citedIn(file, text).map((number) => `${number} in ${file}`));

  expect(cited.length).toBeGreaterThan(20);
  expect(cited.filter((each) => !isInLedger(each.split(' ', 1)[0] ?? ''))).toEqual([]);
});

test('every comment begins with a verb or the thing that it describes', () => {
  expect(
    comments.filter(({ text }) => /^\s*(?:\/\*\*?|\*|\/\/) (?:Of|So|What|Whether|Told|That) /m.test(text)),
  ).toEqual([]);
});

function citedIn(file: string, text: string): string[] {
  const named = Array.from(text.matchAll(NAMED), ([, numbers = '']) => numbers);
  const bare = file.startsWith('conformance/checks/')
    ? Array.from(text.matchAll(IN_PARENTHESES), ([, numbers = '']) => numbers)
    : [];
  return [...named, ...bare].flatMap((numbers) => numbers.split(/,? (?:and |to )?/));
}

/** Reports if the ledger contains a section, as a whole or by its subsections. */
function isInLedger(number: string): boolean {
  return ledger.some((key) => key === number || key.startsWith(`${number}.`));
}

/** Returns the comments of a file, each on one line. */
function commentsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return Array.from(text.matchAll(COMMENT), ([comment]) => comment.replaceAll(/\s*\n\s*\*?\s*/g, ' '));
}
