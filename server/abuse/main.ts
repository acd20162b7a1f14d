import { cpus, loadavg } from 'node:os';
import { ATTACKS } from './attacks/all.js';
import { runFuzz } from './fuzz.js';
import { runKills } from './kills.js';
import { readOptions, USAGE, UsageError } from './options.js';
import { printHead, printNotes, printRow } from './report.js';
import { runAttacks } from './run.js';
import { runTexts } from './single-texts.js';
import { failures } from './verdict.js';

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), ATTACKS);
  if (options.isListed) {
    for (const { name, about } of ATTACKS) console.log(`${name.padEnd(20)}${about}`);
    return;
  }
  console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}\n`);
  finish(await run(options));
}

async function run(options: ReturnType<typeof readOptions>): Promise<string[]> {
  const { fuzz, kills, isTexts, seed } = options;
  if (fuzz !== undefined) return runFuzz(fuzz, seed);
  if (kills !== undefined) return runKills(kills, seed);
  if (isTexts) return runTexts();
  return attack(options);
}

async function attack(options: ReturnType<typeof readOptions>): Promise<string[]> {
  printHead();
  const outcomes = await runAttacks(options, printRow);
  printNotes(outcomes);
  return outcomes.flatMap(failures);
}

function finish(failed: readonly string[]): void {
  for (const text of failed) console.log(`FAILED ${text}`);
  console.log(failed.length === 0 ? '\nNo failures.' : `\n${failed.length} failures.`);
  if (failed.length > 0) process.exitCode = 1;
}
