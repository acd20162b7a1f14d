import { expect, test } from 'vitest';
import { anOutcome } from '../testing/outcomes.js';
import { findUnseen } from './unseen.js';

test('a capability of which a check passed was seen, whatever became of the others', () => {
  const outcomes = [
    anOutcome('one', 'pass', { needs: ['mcp'] }),
    anOutcome('two', 'error', { needs: ['mcp', 'quota'] }),
    anOutcome('three', 'fail', { needs: ['quota', 'billing'] }),
    anOutcome('four', 'skipped', { needs: ['mail'] }),
    anOutcome('five', 'fail'),
  ];

  const unseen = findUnseen(outcomes).map(({ capability, checks }) => [capability, checks]);

  expect(unseen).toEqual([
    ['quota', 2],
    ['billing', 1],
  ]);
});
