import { countByStatus, isConforming, type Outcome, type Run } from '../run/outcome.js';
import { findUnseen } from '../run/unseen.js';

/** Prints one line for a check, followed by the reason if it did not pass. */
export function printOutcome({ id, section, status, message, requirement }: Outcome): void {
  console.log(`${status.padEnd(9)} ${section.padEnd(6)} ${id}`);
  if (status === 'pass') return;
  if (status !== 'skipped' && status !== 'error' && status !== 'unchecked') console.log(`    ${requirement}`);
  if (message) console.log(message.replace(/^/gm, '    '));
}

/** Prints the summary of a run. */
export function printSummary(run: Run): void {
  const { outcomes, stale, troubles, coverage, durationMs } = run;
  const { pass, fail, warning, known, error, unchecked, skipped } = countByStatus(outcomes);
  for (const id of stale)
    console.log(`stale     ${''.padEnd(6)} ${id}\n    The baseline lists this check, but it passed.`);
  for (const trouble of troubles) console.log(`trouble\n${trouble.replace(/^/gm, '    ')}`);
  const others = `${warning} warnings, ${known} known failures, ${error} errors, ${unchecked} not checked`;
  console.log(`\ncontract: ${coverage.seen} of ${coverage.documented} documented responses seen`);
  console.log(
    `${isConforming(run) ? 'conforms' : 'does not conform'}, ${others}, ${(durationMs / 1_000).toFixed(1)} s`,
  );
  console.log(
    `${pass} passed, ${fail + error + stale.length + troubles.length} failed, ${skipped + unchecked} skipped`,
  );
  printUnseen(run);
}

/** Prints the capabilities that the deployment seems to lack, with the options that declare it. */
function printUnseen({ outcomes }: Run): void {
  const unseen = findUnseen(outcomes);
  if (unseen.length === 0) return;
  console.log('\nThe deployment seems to lack these. Configure them for the run, or declare that they are missing:');
  for (const { capability, meaning, checks } of unseen) {
    console.log(`  ${capability.padEnd(20)}  ${String(checks).padStart(3)} checks  ${meaning}`);
  }
  console.log(
    `\nTo declare all of them, add:\n  ${unseen.map(({ capability }) => `--without ${capability}`).join(' ')}`,
  );
}
