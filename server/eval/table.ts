import { type Answered, average, byCategory, CUTS, type Scores, SPREAD_CUT, spread } from './scores.js';

/** Prints Markdown tables of what each mode found: of all questions, then of each category. */
export function printTables(name: string, answers: ReadonlyMap<string, readonly Answered[]>): void {
  const modes = [...answers];
  console.log(`\n### ${name}: ${modes[0]?.[1].length} questions\n`);
  const cuts = CUTS.map((cut) => `R@${cut}`).join(' | ');
  console.log(`| mode | ${cuts} | MRR | ± of R@${SPREAD_CUT} |\n|---|${'---|'.repeat(CUTS.length + 2)}`);
  for (const [mode, answered] of modes) {
    const { recall, mrr } = average(answered);
    console.log(`| ${[mode, ...[...recall, mrr, spread(answered)].map(share)].join(' | ')} |`);
  }
  printCategories(modes.map(([mode, answered]) => [mode, byCategory(answered)]));
}

function printCategories(modes: readonly (readonly [mode: string, scores: ReadonlyMap<string, Scores>])[]): void {
  const categories = [...(modes[0]?.[1] ?? [])];
  if (categories.length < 2) return;
  const names = modes.map(([mode]) => mode).join(' | ');
  console.log(`\n| R@${SPREAD_CUT} by category | questions | ${names} |\n|---|${'---|'.repeat(modes.length + 1)}`);
  for (const [category, { questions }] of categories) {
    const found = modes.map(([, scores]) => share(scores.get(category)?.recall[CUTS.indexOf(SPREAD_CUT)] ?? 0));
    console.log(`| ${[category, questions, ...found].join(' | ')} |`);
  }
}

function share(value: number): string {
  return value.toFixed(3);
}
