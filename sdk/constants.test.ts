import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BATCH_ITEMS, CONTENT_LENGTH, PAGE_LIMIT, RECENT_LIMIT, SIMILAR_LIMIT } from './constants.js';

const ofLimit = ({ maximum, default: fallback }: typeof PAGE_LIMIT | typeof RECENT_LIMIT | typeof SIMILAR_LIMIT) => [
  maximum,
  fallback,
];

test.each([
  ['options.ts', 'RecentQuery', 'limit', ofLimit(RECENT_LIMIT)],
  ['options.ts', 'SimilarQuery', 'limit', ofLimit(SIMILAR_LIMIT)],
  ['options.ts', 'ExportQuery', 'limit', ofLimit(PAGE_LIMIT)],
  ['options.ts', 'PageQuery', 'limit', ofLimit(PAGE_LIMIT)],
  ['documents/sync-document.ts', 'DocumentInput', 'batchItems', [BATCH_ITEMS]],
  ['testing/stand-in-service.ts', 'StandInOptions', 'batchItems', [BATCH_ITEMS]],
  ['testing/stand-in-service.ts', 'StandInOptions', 'contentLength', [CONTENT_LENGTH]],
])('%s documents %s.%s as the contract has it', (file, type, member, numbers) => {
  const documented = docstringOf(file, type, member).match(/\d[\d,]*/g) ?? [];

  expect(documented.map((number) => Number(number.replaceAll(',', '')))).toEqual(numbers);
});

test.each([
  ['limit', 'From 1 to 50. Default: 10.'],
  ['recencyHalflifeDays', 'More than 0, at most 3,650. Default: 30.'],
  ['mode', 'Default: `vector`.'],
  ['exact', 'Default: `false`.'],
  ['query', 'From 1 to 8,192 characters.'],
])('the generated types document the bounds and the default of %s', (member, facts) => {
  const types = readFileSync(new URL('generated/types.gen.ts', import.meta.url), 'utf8');
  const [search = ''] = /export type SearchRequest = \{.*?\n\};/s.exec(types) ?? [];

  expect(search).toMatch(new RegExp(`${facts.replaceAll('.', '\\.')}\\s+\\*/\\s+${member}\\??:`));
});

/** Returns the comment above a member of an exported interface. */
function docstringOf(file: string, type: string, member: string): string {
  const [, members = ''] =
    new RegExp(`export interface ${type}\\b[^{]*\\{\\n(.*?)\\n\\}`, 's').exec(
      readFileSync(new URL(file, import.meta.url), 'utf8'),
    ) ?? [];
  const [, comment = ''] = new RegExp(`/\\*\\*((?:(?!\\*/).)*)\\*/\\s+${member}\\?:`, 's').exec(members) ?? [];
  return comment;
}
