import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { loadContract } from './contract.js';

const { cache } = createRequire(import.meta.url);

test('loads the code that checks requests only when it is told to', () => {
  for (const file of filesOfCode()) delete cache[file];

  const contract = loadContract();
  const before = filesOfCode().length;
  contract.load();

  expect([before, filesOfCode().length]).toEqual([0, 1]);
});

function filesOfCode(): string[] {
  return Object.keys(cache).filter((file) => file.endsWith('first-fault.cjs'));
}
