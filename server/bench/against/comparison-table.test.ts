import { expect, test, vi } from 'vitest';
import { printComparison } from './comparison-table.js';

test('prints the ratio of both sides, at most its aim for milliseconds and at least for rates', () => {
  const lines: string[] = [];
  using _ = vi.spyOn(console, 'log').mockImplementation((line = '') => void lines.push(String(line)));

  printComparison('peer 1.0', 1_000, [
    { what: 'search', unit: 'ms', ours: 2, theirs: 8, oursRecall: 1, theirsRecall: 0.75, aim: 0.5 },
    { what: 'load', unit: '/s', ours: 900, theirs: 300, aim: 2 },
    { what: 'first search', unit: 'ms', ours: 250, theirs: 500 },
  ]);

  expect(lines.slice(3)).toEqual([
    '| search | 2.00 ms | 1.0000 | 8.00 ms | 0.7500 | 0.25 | ≤ 0.5 |',
    '| load | 900 /s |  | 300 /s |  | 3.00 | ≥ 2 |',
    '| first search | 250 ms |  | 500 ms |  | 0.50 |  |',
    '',
  ]);
});
