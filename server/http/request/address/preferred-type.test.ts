import { expect, test } from 'vitest';
import { preferredType } from './preferred-type.js';

const TYPES = ['application/x-ndjson', 'text/csv'] as const;

test.each([
  [undefined, 'application/x-ndjson'],
  ['', 'application/x-ndjson'],
  ['*/*', 'application/x-ndjson'],
  ['text/*', 'application/x-ndjson'],
  ['application/json', 'application/x-ndjson'],
  ['text/csv', 'text/csv'],
  ['Text/CSV; charset=utf-8', 'text/csv'],
  ['text/csv;q=0.5, application/x-ndjson', 'application/x-ndjson'],
  ['text/csv, application/x-ndjson;q=0.5', 'text/csv'],
  ['text/csv;q=0', 'application/x-ndjson'],
  ['text/csv;q=much', 'application/x-ndjson'],
])('an Accept of %j gets %s', (accept, type) => {
  expect(preferredType(accept, TYPES)).toBe(type);
});
