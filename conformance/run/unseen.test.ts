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
    anOutcome('six', 'pass', { needs: ['content-scan'] }),
    anOutcome('seven', 'unchecked', { needs: ['content-scan', 'management'] }),
    anOutcome('eight', 'unchecked', { needs: ['content-scan'] }),
    anOutcome('nine', 'pass', { needs: ['management'] }),
  ];

  const unseen = findUnseen(outcomes).map(({ capability, checks }) => [capability, checks]);

  expect(unseen).toEqual([
    ['content-scan', 3],
    ['quota', 2],
    ['billing', 1],
  ]);
});
