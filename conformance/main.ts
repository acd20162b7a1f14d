import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest, type Vitest } from 'vitest/node';
import { outliveReader } from './reports/closed-output.js';
import { printOutcome, printSummary } from './reports/console.js';
import { renderReport } from './reports/render.js';
import { applyBaseline, asKnown, parseBaseline } from './run/baseline.js';
import { catalogue, selectChecks } from './run/catalogue.js';
import { Collector } from './run/collect.js';
import { measureCoverage } from './run/coverage.js';
import { type Options, parseOptions, USAGE, UsageError } from './run/options.js';
import { isConforming, type Run } from './run/outcome.js';
import { Contract } from './transport/contract.js';
import { ProfileError, readProfile, toProfile } from './world/profile.js';

const CONFORMS = 0;
const DIFFERS = 1;
const NOT_STARTED = 2;
/** The exit code of a process that a signal ended. */
const INTERRUPTED = 130;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

outliveReader();
try {
  process.exitCode = await main();
} catch (error) {
  const isExpected = error instanceof UsageError || error instanceof ProfileError;
  console.error(isExpected ? error.message : error);
  if (error instanceof UsageError) console.error('\nSee memory-conformance --help.');
  process.exitCode = NOT_STARTED;
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), process.env);
  if (options === 'help') {
    console.log(USAGE);
    return CONFORMS;
  }
  if (options === 'list') {
    for (const { id, section, level, requirement } of catalogue) {
      console.log(`${section.padEnd(6)} ${level.padEnd(6)} ${id.padEnd(44)} ${requirement}`);
    }
    return CONFORMS;
  }
  return check(options);
}

async function check(options: Options): Promise<number> {
  if (selectChecks(options).length === 0)
    throw new UsageError('no check matches the options; --list prints all checks');
  await assertReachable(options);
  const run = await runSuite(options);
  if (!run) return INTERRUPTED;
  for (const { kind, file } of options.reports) await writeFile(file, renderReport(kind, run));
  printSummary(run);
  return isConforming(run) ? CONFORMS : DIFFERS;
}

/** @throws {UsageError} if there is no response from the base URL, or it rejects the token */
async function assertReachable({ baseUrl, token }: Options): Promise<void> {
  const url = `${baseUrl.replace(/\/+$/, '')}/api/memories/recent?limit=1`;
  let status: number;
  try {
    ({ status } = await fetch(url, { headers: { authorization: `Bearer ${token}` } }));
  } catch (error) {
    throw new UsageError(`no response from ${baseUrl}`, { cause: error });
  }
  if (status === 401) throw new UsageError(`${baseUrl} rejected the token`);
}

/** Returns undefined if the run was interrupted. */
async function runSuite(options: Options): Promise<Run | undefined> {
  const checked = options.profile === undefined ? toProfile({}) : await readProfile(options.profile);
  const known = options.baseline === undefined ? [] : parseBaseline(await readFile(options.baseline, 'utf8'));
  const collector = new Collector(options.strict, (outcome) => printOutcome(asKnown(outcome, known)));
  const start = performance.now();
  const startedAt = new Date().toISOString();
  const suite = fileURLToPath(new URL(`./run/suite${import.meta.url.slice(-3)}`, import.meta.url));
  const vitest = await createVitest(
    'test',
    {
      config: false,
      // A cache would be written into the package.
      cache: false,
      root: dirname(suite),
      include: [suite],
      exclude: [],
      watch: false,
      passWithNoTests: true,
      reporters: [collector],
      provide: { conformance: { ...options, checked } },
      // A check may wait for the per-minute limit.
      testTimeout: 0,
      hookTimeout: 0,
      maxWorkers: 1,
      // With threads, only this process receives signals.
      pool: 'threads',
      maxConcurrency: options.jobs,
    },
    { envDir: false, server: { watch: null } },
  );
  if (await isInterrupted(vitest)) return undefined;
  const ids = catalogue.map(({ id }) => id);
  const inOrder = collector.outcomes.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  const { outcomes, stale } = applyBaseline(inOrder, known, new Set(ids));
  const contract = Contract.load();
  return {
    baseUrl: options.baseUrl,
    contractVersion: contract.version,
    startedAt,
    durationMs: Math.round(performance.now() - start),
    outcomes,
    stale,
    troubles: collector.troubles,
    coverage: measureCoverage(contract, new Set(collector.seen)),
  };
}

/** Runs the suite. After a signal, it stops when the checks in progress have ended. Returns true then. */
async function isInterrupted(vitest: Vitest): Promise<boolean> {
  let wasInterrupted = false;
  const interrupt = () => {
    wasInterrupted = true;
    console.log('\nInterrupted: deleting the memories and revoking the tokens of this run.');
    void vitest.cancelCurrentRun('keyboard-input');
  };
  for (const signal of SIGNALS) {
    // The listeners of vitest would end the process at once.
    process.removeAllListeners(signal);
    process.once(signal, interrupt);
  }
  try {
    await vitest.start();
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
    await vitest.close();
  }
  return wasInterrupted;
}
