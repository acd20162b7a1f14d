import { summarize } from '../bench/timing.js';
import type { Sample } from './bystander.js';
import { isRefused, type Outcome } from './verdict.js';

const MEBIBYTE = 1_048_576;
const KINDS = ['search', 'write', 'event'] as const;
const COLUMNS = [
  'attack',
  ...KINDS.map((kind) => `${kind} p50/p95`),
  'refused',
  'loop p99/max',
  'peak MB',
  'alive',
  'the attack was answered',
];

/** Prints the head of the table. */
export function printHead(): void {
  console.log('Milliseconds of the bystander, quiet → attacked. Events are timed from the answer to their write.\n');
  console.log(`| ${COLUMNS.join(' | ')} |`);
  console.log(`|${' --- |'.repeat(COLUMNS.length)}`);
}

export function printRow({ name, quiet, attacked, gauged, ended, answers, slowestMs }: Outcome): void {
  const waits = KINDS.map((kind) => `${latency(quiet, kind)} → ${latency(attacked, kind)}`);
  const refused = `${attacked.filter(isRefused).length} of ${attacked.length}`;
  const loop = `${rounded(gauged.loopP99)}/${rounded(gauged.loopMax)}`;
  const peak = gauged.peak === undefined ? '?' : `${Math.round(gauged.peak / MEBIBYTE)}`;
  const alive = ended === undefined ? 'yes' : `ended: ${ended}`;
  const said = answers === '' ? 'nothing that was read' : `${answers}; slowest ${Math.round(slowestMs)} ms`;
  console.log(`| ${[name, ...waits, refused, loop, peak, alive, said].join(' | ')} |`);
}

export function printNotes(outcomes: readonly Outcome[]): void {
  const notes = outcomes.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`));
  if (notes.length > 0) console.log(`\n${notes.map((note) => `- ${note}`).join('\n')}`);
}

function latency(samples: readonly Sample[], kind: Sample['kind']): string {
  const { p50, p95 } = summarize(samples.filter((sample) => sample.kind === kind).map(({ ms }) => ms));
  return `${rounded(p50)}/${rounded(p95)}`;
}

function rounded(ms: number | undefined): string {
  if (ms === undefined || Number.isNaN(ms)) return '?';
  return ms < 10 ? ms.toFixed(1) : String(Math.round(ms));
}
