import { countByStatus, type Outcome, type Run } from '../run/outcome.js';
import { escapeMarkup } from './escape.js';

/** A run as JUnit XML, a test suite a section. Warnings and known failures do not fail it. */
export function renderJunit({ outcomes, durationMs, startedAt }: Run): string {
  const sections = [...new Set(outcomes.map(({ section }) => section))];
  const suites = sections.map((section) => {
    const own = outcomes.filter((outcome) => outcome.section === section);
    return `  <testsuite name="${section}" ${counts(own)}>\n${own.map(renderCase).join('\n')}\n  </testsuite>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="memory-conformance" ${counts(outcomes)} time="${durationMs / 1_000}" timestamp="${startedAt}">`,
    ...suites,
    '</testsuites>\n',
  ].join('\n');
}

function counts(outcomes: readonly Outcome[]): string {
  const { fail, error, skipped, unchecked } = countByStatus(outcomes);
  return `tests="${outcomes.length}" failures="${fail}" errors="${error}" skipped="${skipped + unchecked}"`;
}

function renderCase({ id, section, durationMs, status, requirement, message = '' }: Outcome): string {
  const open = `    <testcase classname="conformance.${section}" name="${id}" time="${durationMs / 1_000}"`;
  const told = escapeMarkup(message);
  if (status === 'pass') return `${open}/>`;
  if (status === 'skipped' || status === 'unchecked') return `${open}><skipped message="${told}"/></testcase>`;
  if (status === 'warning' || status === 'known')
    return `${open}><system-out>${status}: ${told}</system-out></testcase>`;
  const tag = status === 'fail' ? 'failure' : 'error';
  return `${open}><${tag} message="${escapeMarkup(requirement)}">${told}</${tag}></testcase>`;
}
