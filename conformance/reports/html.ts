import { countByStatus, isConforming, type Outcome, type Run, type Status } from '../run/outcome.js';
import { bySection, titleOf } from '../run/sections.js';
import { findUnseen } from '../run/unseen.js';
import { escapeMarkup } from './escape.js';

const SHOWN: readonly Status[] = ['fail', 'error', 'warning', 'known', 'unchecked', 'pass', 'skipped'];

const NAMES: Readonly<Record<Status, string>> = {
  pass: 'passed',
  fail: 'failed',
  error: 'errors',
  warning: 'warnings',
  known: 'known failures',
  unchecked: 'not checked',
  skipped: 'not applicable',
};

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --pass: #2e7d32; --fail: #c62828; --warn: #b26a00; --dim: #777; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.dim { color: var(--dim); } .verdict { font-weight: 600; }
ul.counts { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
ul.counts b { font-size: 1.3rem; }
ul.parts { columns: 20rem; padding: 0; list-style: none; } a { color: inherit; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
code, pre { font: 13px/1.4 ui-monospace, monospace; } pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; }
td:has(> code), td:has(> a > code) { white-space: nowrap; }
.pass { color: var(--pass); } .fail, .error { color: var(--fail); } .warning, .known { color: var(--warn); }
.skipped, .unchecked { color: var(--dim); }`;

/** Renders a run as one self-contained page: first the checks that did not pass, then all checks by section. */
export function renderHtml(run: Run): string {
  const { outcomes, baseUrl, contractVersion, startedAt, durationMs, stale, troubles } = run;
  const sections = [...new Set(outcomes.map(({ section }) => section))].sort(bySection);
  const told = [...stale.map((id) => `${id}: the baseline lists this check, but it passed`), ...troubles];
  const seconds = (durationMs / 1_000).toFixed(1);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>Conformance of ${escapeMarkup(baseUrl)}</title><style>${STYLE}</style></head><body>`,
    `<h1>Conformance of ${escapeMarkup(baseUrl)}</h1>`,
    `<p class="dim">Contract ${escapeMarkup(contractVersion)}, ${startedAt.replace('T', ' ').slice(0, 16)} UTC, ${seconds} s</p>`,
    `<p class="verdict ${isConforming(run) ? 'pass' : 'fail'}">${isConforming(run) ? 'Conforms' : 'Does not conform'}</p>`,
    renderCounts(outcomes),
    ...told.map((line) => `<pre class="fail">${escapeMarkup(line)}</pre>`),
    renderUnseen(outcomes),
    renderNotPassed(outcomes),
    renderContents(sections, outcomes),
    ...sections.map((section) => renderSection(section, ofSection(outcomes, section))),
    renderCoverage(run),
    '</body></html>\n',
  ].join('\n');
}

function ofSection(outcomes: readonly Outcome[], section: string): readonly Outcome[] {
  return outcomes.filter((outcome) => outcome.section === section);
}

function renderCounts(outcomes: readonly Outcome[]): string {
  const counts = countByStatus(outcomes);
  const items = SHOWN.map((status) => `<li class="${status}"><b>${counts[status]}</b> ${NAMES[status]}</li>`);
  return `<ul class="counts">${items.join('')}</ul>`;
}

/** Lists what the deployment seems to lack, with the options that declare it. */
function renderUnseen(outcomes: readonly Outcome[]): string {
  const rows = findUnseen(outcomes).map(
    ({ capability, meaning, checks }) =>
      `<tr><td><code>--without ${capability}</code></td><td>${checks} checks</td><td>${escapeMarkup(meaning)}</td></tr>`,
  );
  if (rows.length === 0) return '';
  const advice = 'Configure these for the run, or declare that the deployment lacks them.';
  return `<h2>The deployment seems to lack these</h2><p>${advice}</p><table><tbody>${rows.join('\n')}</tbody></table>`;
}

function renderNotPassed(outcomes: readonly Outcome[]): string {
  const rows = SHOWN.filter((status) => status !== 'pass' && status !== 'skipped' && status !== 'unchecked').flatMap(
    (status) =>
      outcomes
        .filter((outcome) => outcome.status === status)
        .map(
          ({ id, section, requirement }) =>
            `<tr><td class="${status}">${status}</td><td class="dim">${section}</td>` +
            `<td><a href="#${id}"><code>${id}</code></a></td><td>${escapeMarkup(requirement)}</td></tr>`,
        ),
  );
  if (rows.length === 0) return '';
  return `<h2>Checks that did not pass</h2><table><tbody>${rows.join('\n')}</tbody></table>`;
}

function renderContents(sections: readonly string[], outcomes: readonly Outcome[]): string {
  const items = sections.map((section) => {
    const { pass, fail, error, warning, known } = countByStatus(ofSection(outcomes, section));
    const others = fail + error + warning + known;
    const count = others === 0 ? `${pass}` : `${pass} of ${pass + others}`;
    const state = fail + error > 0 ? 'fail' : others > 0 ? 'warning' : 'pass';
    return `<li><a href="#part-${section}">${titleOf(section)}</a> <span class="${state}">${count}</span></li>`;
  });
  return `<h2>Passed checks by section</h2><ul class="parts">${items.join('')}</ul>`;
}

function renderSection(section: string, outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(
    ({ id, level, requirement, status, message }) =>
      `<tr id="${id}"><td class="${status}">${status}</td><td><code>${id}</code></td>` +
      `<td>${escapeMarkup(requirement)}${message ? `<pre class="${status}">${escapeMarkup(message)}</pre>` : ''}</td>` +
      `<td class="dim">${level}</td></tr>`,
  );
  return `<h2 id="part-${section}">${titleOf(section)}</h2><table><tbody>${rows.join('\n')}</tbody></table>`;
}

function renderCoverage({ coverage }: Run): string {
  const rows = coverage.operations.map(
    ({ operationId, seen, unseen }) =>
      `<tr><td><code>${operationId}</code></td><td class="pass">${seen.join(' ')}</td>` +
      `<td class="dim">${unseen.join(' ')}</td></tr>`,
  );
  return [
    `<h2>Documented responses: ${coverage.seen} of ${coverage.documented} seen</h2>`,
    '<table><thead><tr><th>Operation</th><th>Seen</th><th>Not seen</th></tr></thead>',
    `<tbody>${rows.join('\n')}</tbody></table>`,
  ].join('\n');
}
