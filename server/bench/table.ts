import type { Latency } from './timing.js';

export interface Row {
  what: string;
  /** Milliseconds. */
  latency?: Latency;
  /** The floor of the latency in milliseconds, and the names of its parts. */
  floor?: number;
  floorName?: string;
  /** The text for a row without a latency. */
  value?: string;
}

/** Prints a Markdown table of the measurements, each latency with its floor. */
export function printTable(title: string, rows: readonly Row[], floors: readonly (readonly [string, number])[]): void {
  console.log(`### ${title}\n`);
  console.log('| measured | p50 ms | p95 ms | floor ms | ratio |');
  console.log('| --- | --- | --- | --- | --- |');
  for (const [name, ms] of floors) console.log(`| ${name} | ${ms.toFixed(2)} | | | |`);
  for (const { what, latency, floor, floorName, value } of rows) {
    if (!latency) {
      console.log(`| ${what} | ${value ?? ''} | | | |`);
      continue;
    }
    const compared =
      floor === undefined ? ['', ''] : [`${floor.toFixed(2)} (${floorName})`, (latency.p50 / floor).toFixed(2)];
    console.log(`| ${what} | ${latency.p50.toFixed(2)} | ${latency.p95.toFixed(2)} | ${compared.join(' | ')} |`);
  }
  console.log();
}
