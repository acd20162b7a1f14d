import { describe, expect, test } from 'vitest';
import { anOutcome, aRun } from '../testing/outcomes.js';
import { applyBaseline, parseBaseline } from './baseline.js';
import { isConforming } from './outcome.js';

const EXISTING = new Set(['one', 'two', 'three']);

describe('a baseline', () => {
  test('is a list of ids, with or without dashes, each with a reason or none', () => {
    expect(parseBaseline('# known\none # since May\n- two\n\n  three  \n')).toEqual(['one', 'two', 'three']);
  });

  test('makes a failure that it lists a known one', () => {
    const { outcomes, stale } = applyBaseline([anOutcome('one', 'fail'), anOutcome('two', 'pass')], ['one'], EXISTING);

    expect(outcomes.map(({ status }) => status)).toEqual(['known', 'pass']);
    expect(isConforming(aRun(outcomes, { stale }))).toBe(true);
  });

  test('leaves a new failure a failure', () => {
    const { outcomes, stale } = applyBaseline([anOutcome('one', 'fail'), anOutcome('two', 'fail')], ['one'], EXISTING);

    expect(outcomes.map(({ status }) => status)).toEqual(['known', 'fail']);
    expect(isConforming(aRun(outcomes, { stale }))).toBe(false);
  });

  test('goes stale where a check that it lists passes, or does not exist', () => {
    const { outcomes, stale } = applyBaseline([anOutcome('one', 'pass')], ['one', 'four'], EXISTING);

    expect(stale).toEqual(['one', 'four']);
    expect(isConforming(aRun(outcomes, { stale }))).toBe(false);
  });

  test('says nothing of a check that did not run', () => {
    const { stale } = applyBaseline([anOutcome('two', 'skipped')], ['one', 'two'], EXISTING);

    expect(stale).toEqual([]);
  });
});

test('a check with an error makes a run fail, and a warning does not', () => {
  expect(isConforming(aRun([anOutcome('one', 'error')]))).toBe(false);
  expect(isConforming(aRun([anOutcome('one', 'warning'), anOutcome('two', 'skipped')]))).toBe(true);
});

test('what could not be cleaned up makes a run fail', () => {
  expect(isConforming(aRun([anOutcome('one', 'pass')], { troubles: ['memory 7 could not be deleted'] }))).toBe(false);
});
