import type { SearchResult } from '@memory-service/sdk';
import type { Tally } from './ingest.js';
import { excerpt, truncate } from './plain-text.js';
import { type Answer, TOP } from './questions.js';
import type { Screen } from './screen.js';
import type { Credentials } from './server-process.js';

export interface Figures {
  documents: number;
  packages: number;
  chunks: number;
  ingestMs: number;
  tally: Tally;
  /** The result of sending a batch a second time. */
  replay: { items: number; ms: number; tally: Tally };
  /** The count of the service at the end. */
  memories: number;
  searchMs: readonly number[];
}

/** Prints a question, its results and the expected ones among them. */
export function printAnswer(screen: Screen, { question, results, rank }: Answer): void {
  const note = question.note && screen.style('faint', `  (${question.note})`);
  screen.print(`${screen.style('strong', question.search.query)}${note}`);
  for (const [at, result] of results.entries()) {
    const isExpected = at + 1 === rank;
    const mark = isExpected ? screen.style('good', '✓') : ' ';
    const source = truncate(sourceOf(result), screen.width - 11);
    screen.print(`  ${mark} ${result.score.toFixed(3)}  ${source}`);
    if (at === 0) {
      const line = excerpt(result.content, question.search.query, screen.width - 11);
      screen.print(`           ${screen.style('faint', line)}`);
    }
  }
  if (rank === undefined) {
    const missing = `no result of ${question.expected} among the first ${TOP}`;
    screen.print(`  ${screen.style('bad', `✗ ${missing}`)}`);
  }
  screen.print();
}

function sourceOf({ metadata }: SearchResult): string {
  const { documentId, heading } = metadata;
  return heading ? `${documentId} › ${heading}` : `${documentId}`;
}

export function printFigures(screen: Screen, figures: Figures): void {
  const { documents, packages, chunks, ingestMs, tally, replay, memories, searchMs } = figures;
  const sorted = searchMs.toSorted((a, b) => a - b);
  const rows: [string, string][] = [
    ['read', `${count(documents)} documents of ${count(packages)} packages, split into ${count(chunks)} chunks`],
    ['stored', `in ${seconds(ingestMs)}: ${count(Math.round((1_000 * chunks) / ingestMs))} memories/s`],
    ['outcomes', outcomes(tally)],
    ['sent again', `${replay.items} chunks in ${milliseconds(replay.ms)}: ${outcomes(replay.tally)}`],
    ['in store', `${count(memories)} memories`],
    [
      'searched',
      `${sorted.length} times: median ${milliseconds(quantile(sorted, 0.5))}, 95 % within ${milliseconds(quantile(sorted, 0.95))}`,
    ],
  ];
  for (const [name, text] of rows) screen.print(`${screen.style('faint', name.padEnd(12))}${text}`);
  screen.print();
}

export function printNext(screen: Screen): void {
  const rows = [
    ['npm run demo -- --serve', 'the same, and the server keeps running for your own questions'],
    ['npm start', 'a server with data that lasts'],
    ['README.md, openapi.yaml', 'how to use it, and the whole contract'],
  ] as const;
  screen.print(screen.style('strong', 'Next'));
  for (const [what, why] of rows) screen.print(`  ${what.padEnd(26)}${screen.style('faint', why)}`);
}

/** Prints how to use the server that keeps running. */
export function printServing(screen: Screen, { baseUrl, organizationId, token }: Credentials): void {
  screen.print(`${screen.style('strong', 'The server runs until you press Ctrl-C')}; its data is deleted then.

  url           ${baseUrl}
  organization  ${organizationId}
  token         ${token}

Ask it something:
  curl -s ${baseUrl}/api/memories/search -H 'Authorization: Bearer ${token}' \\
    -H 'Content-Type: application/json' -d '{"query": "limit concurrent calls", "limit": 3}'

Count what it holds:
  curl -s '${baseUrl}/api/memories/stats?filter[kind]=changelog' -g -H 'Authorization: Bearer ${token}'`);
}

function outcomes({ created, deduplicated, merged }: Tally): string {
  return `${count(created)} created, ${count(deduplicated)} deduplicated, ${count(merged)} merged`;
}

/** @param sorted ascending, not empty */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}
