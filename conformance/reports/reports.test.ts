import { describe, expect, test } from 'vitest';
import { anOutcome, aRun } from '../testing/outcomes.js';
import { renderReport } from './render.js';

const RUN = aRun([
  anOutcome('one', 'pass'),
  anOutcome('two', 'fail'),
  anOutcome('three', 'error', { section: '4.2' }),
  anOutcome('four', 'warning', { level: 'should' }),
  anOutcome('five', 'skipped'),
  anOutcome('six', 'unchecked'),
]);

describe('a report', () => {
  test('as JSON has the summary, every outcome and the coverage', () => {
    const report = JSON.parse(renderReport('json', RUN));

    expect(report.summary).toMatchObject({
      conforms: false,
      pass: 1,
      fail: 1,
      error: 1,
      warning: 1,
      skipped: 1,
      unchecked: 1,
    });
    expect(report.outcomes).toEqual(RUN.outcomes);
    expect(report.coverage).toEqual(RUN.coverage);
  });

  test('as JUnit XML counts failures and errors, a suite a section', () => {
    const report = renderReport('junit', RUN);

    expect(report).toContain('<testsuites name="memory-conformance" tests="6" failures="1" errors="1" skipped="2"');
    expect(report).toContain('<testsuite name="4.2" tests="1" failures="0" errors="1" skipped="0">');
    expect(report).toContain('<testcase classname="conformance.4.1" name="one" time="0.012"/>');
  });

  test('as a page shows each check with what it saw, and asks for nothing from elsewhere', () => {
    const report = renderReport('html', RUN);

    for (const { id } of RUN.outcomes) expect(report).toContain(`<tr id="${id}">`);
    expect(report).toContain('Does not conform');
    expect(report).toContain('1 of 3 seen');
    expect(report).not.toMatch(/<script|<link|src=|@import/);
  });

  test('as a page, shows missing capabilities and the checks that did not pass', () => {
    const needs = ['second-organization'] as const;
    const report = renderReport('html', aRun([anOutcome('one', 'pass'), anOutcome('two', 'error', { needs })]));

    expect(report).toContain('<code>--without second-organization</code>');
    expect(report).toContain('<a href="#two">');
    expect(report).not.toContain('<a href="#one">');
  });

  test('as a badge says how many pass, or how many fail', () => {
    expect(renderReport('badge', RUN)).toContain('2 of 3 fail');
    expect(renderReport('badge', aRun([anOutcome('one', 'pass')]))).toContain('1 of 1 pass');
  });

  test.each(['junit', 'html'] as const)('as %s writes whatever a deployment answered as text', (kind) => {
    const hostile = anOutcome('one', 'fail', { message: '</pre><script>alert(1)</script>\u0000"\'' });

    const report = renderReport(kind, aRun([hostile]));

    expect(report).not.toContain('<script>');
    expect(report).not.toContain('\u0000');
    expect(report).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });
});
