import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as contract from '../../../sdk/generated/constants.gen.js';
import { readConfig } from '../../config/config.js';
import { parseEmail } from '../../domain/account/email.js';
import { ROLES } from '../../domain/account/role.js';
import { parseFilter } from '../../domain/filter/filter.js';
import { parseExternalKey, parseScope } from '../../domain/memory/scope.js';
import { DELIVERY_STATUSES } from '../../domain/outbound/delivery.js';
import { parseEndpointUrl } from '../../domain/outbound/endpoint-url.js';
import { OUTBOUND_EVENTS } from '../../domain/outbound/event.js';

const { externalKey, scope } = contract.upsertMemoryBounds;
const STRINGS = { subjectKeyType: 'string' } as const;
const { filter } = contract.searchMemoriesBounds;

/** Returns an address of `length` characters. */
function emailOf(length: number): string {
  const domain = `${'d'.repeat(60)}.`.repeat(4);
  return `${'a'.repeat(length - domain.length - 4)}@${domain}com`;
}

test.each([
  ['an external key', externalKey.maxLength, (length: number) => parseExternalKey('k'.repeat(length))],
  ['the source of a scope', scope.source.maxLength, (length: number) => parseScope({ source: 's'.repeat(length) })],
  ['the project of a scope', scope.project.maxLength, (length: number) => parseScope({ project: 'p'.repeat(length) })],
  [
    'a value of a filter',
    filter.project.maxLength,
    (length: number) => parseFilter({ project: 'p'.repeat(length) }, STRINGS, 'json'),
  ],
  [
    'the keys of a filter',
    filter.match.maxProperties,
    (count: number) =>
      parseFilter(
        { match: Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, 1])) },
        STRINGS,
        'json',
      ),
  ],
  [
    'the keys of the comparisons of a filter',
    filter.where.maxProperties,
    (count: number) =>
      parseFilter(
        { where: Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, { gt: 1 }])) },
        STRINGS,
        'json',
      ),
  ],
  [
    'an e-mail address',
    contract.createInvitationBounds.email.maxLength,
    (length: number) => parseEmail(emailOf(length), 'email'),
  ],
  [
    'the URL of an endpoint',
    contract.createOutboundWebhookBounds.url.maxLength,
    (length: number) => parseEndpointUrl('https://a.test/'.padEnd(length, 'x'), { allowLoopback: false }),
  ],
])('the rules and the contract limit %s alike', (_, maximum, parse) => {
  expect(() => parse(maximum)).not.toThrow();
  expect(() => parse(maximum + 1)).toThrow();
});

test('the rules and the contract list the same values', () => {
  expect(ROLES).toEqual(contract.roleValues);
  expect(OUTBOUND_EVENTS).toEqual(contract.outboundEventNameValues);
  expect(DELIVERY_STATUSES).toEqual(contract.listOutboundDeliveriesBounds.status.enum);
});

test('the limits are those of the contract unless set', () => {
  const { limits, rateLimits } = readConfig({});
  const { contentLength, batchItems, requestsPerMinute } = contract.defaultLimits;

  expect(limits).toMatchObject({ contentLength, batchItems });
  expect(rateLimits).toMatchObject(requestsPerMinute);
});

test.each([
  ['SERVICE_MAX_CONTENT_LENGTH', contract.defaultLimits.contentLength],
  ['SERVICE_BATCH_INGEST_MAX', contract.defaultLimits.batchItems],
  ['SERVICE_RATE_LIMIT_INGEST', contract.defaultLimits.requestsPerMinute.ingest],
  ['SERVICE_RATE_LIMIT_SEARCH', contract.defaultLimits.requestsPerMinute.search],
  ['SERVICE_RATE_LIMIT_ADMIN', contract.defaultLimits.requestsPerMinute.admin],
])('the documentation lists the default of the contract for %s', (variable, value) => {
  const documentation = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');

  expect(documentation).toContain(`| \`${variable}\` | \`${value}\` |`);
});
