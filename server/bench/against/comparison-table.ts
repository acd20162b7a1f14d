/** One measurement of the service and of a peer. */
export interface Compared {
  what: string;
  unit: 'ms' | '/s';
  ours: number;
  theirs: number;
  oursRecall?: number;
  theirsRecall?: number;
  /** The ratio that the service should reach: at most for milliseconds, at least for rates. */
  aim?: number;
}

/** Prints a Markdown table of the service beside a peer. */
export function printComparison(peer: string, size: number, rows: readonly Compared[]): void {
  console.log(`### ${size} memories, beside ${peer}\n`);
  console.log('| measured | ours | recall@10 | theirs | recall@10 | ours / theirs | aim |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const { what, unit, ours, theirs, oursRecall, theirsRecall, aim } of rows) {
    const cells = [withUnit(ours, unit), share(oursRecall), withUnit(theirs, unit), share(theirsRecall)];
    const bound = aim === undefined ? '' : `${unit === 'ms' ? '≤' : '≥'} ${aim}`;
    console.log(`| ${[what, ...cells, (ours / theirs).toFixed(2), bound].join(' | ')} |`);
  }
  console.log();
}

function withUnit(value: number, unit: Compared['unit']): string {
  return unit === 'ms' ? `${value.toFixed(value < 100 ? 2 : 0)} ms` : `${Math.round(value)} /s`;
}

function share(recall: number | undefined): string {
  return recall === undefined ? '' : recall.toFixed(4);
}
