import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../transport/package-root.js';
import { catalogue } from './catalogue.js';

interface Entry {
  says?: string;
  decided?: string;
  checks?: string[];
  excluded?: string;
}

const PARTS = [
  ...['1', '2.1', '2.2', '2.3', '2.4', '3', '4'],
  ...Array.from({ length: 14 }, (_, at) => `4.${at + 1}`),
  ...['5.1', '5.2', '5.3', '5.4', '5.5', '6.1', '6.2', '7', '8', '9'],
];

const ledger = parse(readFileSync(join(packageRoot(), 'requirements.yaml'), 'utf8')) as Record<string, Entry[]>;
const entries = Object.values(ledger).flat();
const named = new Set(entries.flatMap(({ checks = [] }) => checks));

test('the ledger has every part of the specification, in its order', () => {
  expect(Object.keys(ledger).sort()).toEqual([...PARTS].sort());
});

test('every statement is checked, or excluded with the reason', () => {
  const loose = entries.filter(
    ({ says, decided, checks, excluded }) =>
      (says === undefined) === (decided === undefined) || (checks === undefined) === (excluded === undefined),
  );

  expect(loose).toEqual([]);
});

test('every check that the ledger names exists', () => {
  const ids = new Set(catalogue.map(({ id }) => id));

  expect([...named].filter((id) => !ids.has(id))).toEqual([]);
});

test('every check is in the ledger', () => {
  expect(catalogue.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([]);
});

test('no decision of ours is a MUST alone', () => {
  const stated = new Set(entries.filter(({ says }) => says !== undefined).flatMap(({ checks = [] }) => checks));
  const raised = catalogue.filter(({ id, level }) => level === 'must' && !stated.has(id));

  expect(raised.map(({ id }) => id)).toEqual([]);
});
