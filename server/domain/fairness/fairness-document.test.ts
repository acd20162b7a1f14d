import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BOUNDS, type NamedBounds } from './bounds.js';

const document = readFileSync(new URL('../../../docs/fairness.md', import.meta.url), 'utf8');
const resources: [string, NamedBounds][] = Object.entries(BOUNDS);

describe('docs/fairness.md', () => {
  test('lists the capacity and the shares of every resource', () => {
    expect(tableOf('Capacity')).toEqual(
      resources.map(([name, bounds]) => [
        name,
        amountOf(bounds, bounds.capacity),
        ...['tenant', 'address', 'anonymous'].map((kind) => amountOf(bounds, bounds.shares[kind])),
      ]),
    );
  });

  test('lists the queue and the longest wait of every resource that has a queue', () => {
    expect(tableOf('Waiting in all')).toEqual(
      resources
        .filter(([, { maxWaiting }]) => maxWaiting !== undefined)
        .map(([name, bounds]) => [
          name,
          amountOf(bounds, bounds.maxWaiting),
          amountOf(bounds, bounds.waitingShares?.tenant),
          `${(bounds.maxWaitMs ?? 0) / 1_000} s`,
        ]),
    );
  });
});

/** Returns the names and amounts in the rows of the table that has this column. */
function tableOf(column: string): string[][] {
  const lines = document.split('\n');
  const at = lines.findIndex((line) => line.startsWith('| Resource') && line.includes(`| ${column} |`));
  const rows = lines.slice(at + 2, lines.indexOf('', at));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) =>
        cell
          .trim()
          .replace(/^`(\w+)`$/, '$1')
          .replace(/, `\w+`$/, ''),
      )
      .filter((cell) => /^(\w+|–|[\d,]+( MiB| s)?)$/.test(cell)),
  );
}

function amountOf({ unitSize = 1 }: NamedBounds, amount: number | undefined): string {
  if (amount === undefined) return '–';
  return `${(amount / unitSize).toLocaleString('en-US')}${unitSize > 1 ? ' MiB' : ''}`;
}
