import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SeqTable } from './seq-table.js';

/** Few seqs, so that they are often set again and deleted, and some with equal lower bits. */
const seqs = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(2 ** 32 + 1, 2 ** 33 + 1, 2 ** 52 + 1));
const steps = fc.array(fc.record({ seq: seqs, number: fc.option(fc.nat({ max: 2 ** 31 - 2 }), { nil: undefined }) }), {
  maxLength: 200,
});

test('a table has what a map with the same changes has', () => {
  fc.assert(
    fc.property(steps, (changes) => {
      const [table, map] = [new SeqTable(), new Map<number, number>()];
      for (const { seq, number } of changes) {
        if (number === undefined) {
          table.delete(seq);
          map.delete(seq);
          continue;
        }
        table.set(seq, number);
        map.set(seq, number);
      }

      for (const { seq } of changes) {
        expect(table.get(seq)).toBe(map.get(seq));
        expect(table.has(seq)).toBe(map.has(seq));
      }
      expect(table.size).toBe(map.size);
    }),
  );
});

test('a table grows beyond its reserved room, and is empty after it is cleared', () => {
  const table = new SeqTable();
  table.reserve(5_000);
  for (let seq = 1; seq <= 20_000; seq += 1) table.set(seq, seq - 1);
  const found = [1, 5_000, 20_000, 20_001].map((seq) => table.get(seq));

  table.clear();

  expect(found).toEqual([0, 4_999, 19_999, undefined]);
  expect([table.size, table.has(1)]).toEqual([0, false]);
});
