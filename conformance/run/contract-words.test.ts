import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { Contract } from '../transport/contract.js';
import { packageRoot } from '../transport/package-root.js';
import { EVENT_NAMES } from '../world/endpoints.js';
import { ABILITIES } from '../world/own-tokens.js';
import { catalogue } from './catalogue.js';

const contract = Contract.load();
const { components } = parse(readFileSync(join(packageRoot(), 'generated/openapi.yaml'), 'utf8')) as {
  components: { schemas: Record<string, { enum?: string[] }> };
};

test.each([
  ['recent-default-limit', contract.limitOf('listRecentMemories').default],
  ['recent-maximal-limit', contract.limitOf('listRecentMemories').maximum],
  ['export-default-limit', contract.limitOf('exportMemories').default],
  ['export-maximal-limit', contract.limitOf('exportMemories').maximum],
  ['changes-default-limit', contract.limitOf('listMemoryChanges').default],
  ['changes-limit-out-of-bounds-422', contract.limitOf('listMemoryChanges').maximum],
])('the requirement of %s tells the number of the contract, %i', (id, number) => {
  const { requirement = '' } = catalogue.find((check) => check.id === id) ?? {};

  expect(requirement.match(/\d+/g)?.map(Number)).toContain(number);
});

test('the profile in the documentation shows the default limits', () => {
  const documentation = readFileSync(join(packageRoot(), '../docs/conformance.md'), 'utf8');
  const [, example = ''] = /```yaml\n(subjectKeyType.*?)```/s.exec(documentation) ?? [];
  const { requestsPerMinute, ...limits } = contract.defaultLimits;

  expect(parse(example)).toMatchObject({ limits, rateLimits: requestsPerMinute });
});

test('the suite knows the events of the contract', () => {
  expect(EVENT_NAMES).toEqual(components.schemas.OutboundEventName?.enum);
});

test('the tokens of a run carry every ability of the contract', () => {
  const asked = new Set(contract.operations.flatMap(({ abilities = [] }) => abilities));

  expect(ABILITIES).toEqual(expect.arrayContaining([...asked]));
});
