import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { text } from 'node:stream/consumers';
import { outliveReader } from '../reports/closed-output.js';
import type { Run } from '../run/outcome.js';
import { freePort } from './free-port.js';
import { LocalProvider } from './local-provider.js';
import { built, LocalServer, type Tenant } from './local-server.js';

/**
 * Runs the suite against this package's own server, several times: once for each type of subject keys, and once for
 * each setting that some checks need and others would suffer from. Further arguments go to every run; the name of a
 * report gets the name of the run.
 */
interface Scenario {
  name: string;
  /** Has the server mail its invitations to the suite. */
  mails?: boolean;
  /** Has the server use an embedding provider with a reranker. */
  reranks?: boolean;
  settings: Record<string, string>;
  tenants: Record<string, Tenant>;
  /** Arguments of the suite. */
  args: readonly string[];
  rateLimits?: Record<string, number>;
  tokensPerPerson?: number;
  /** The organization whose tools need no credential. */
  localOrganizationId?: string;
}

/** Each waits at times. */
const AT_ONCE = 2;
/** The exit code of a run that could not test, or that a signal ended. */
const NOT_LOOKED_AT = 2;

const PLENTY = '1000000';
const UNLIMITED = {
  SERVICE_CONTENT_SCAN_ENABLED: 'true',
  SERVICE_RATE_LIMIT_INGEST: PLENTY,
  SERVICE_RATE_LIMIT_SEARCH: PLENTY,
  SERVICE_RATE_LIMIT_ADMIN: PLENTY,
  SERVICE_RATE_LIMIT_SIGN_IN_ADDRESS: PLENTY,
};
const RATE_LIMITS = { ingest: 5, search: 20, admin: 5 };
const LIMITED = {
  SERVICE_RATE_LIMIT_INGEST: String(RATE_LIMITS.ingest),
  SERVICE_RATE_LIMIT_SEARCH: String(RATE_LIMITS.search),
  SERVICE_RATE_LIMIT_ADMIN: String(RATE_LIMITS.admin),
};
const PLANS = {
  plenty: { name: 'Plenty', ingestPerMonth: null, searchPerMonth: null },
  nothing: { name: 'Nothing', ingestPerMonth: 0, searchPerMonth: 0 },
};
const BILLED = {
  SERVICE_BILLING_ENFORCED: 'true',
  BILLING_SECRET: 'of no billing provider',
  SERVICE_PLANS: JSON.stringify(PLANS),
};
const LOCAL_ORGANIZATION = '0198c5a0-5d00-7b20-8f11-9a8b7c6d5e4f';
const SETTINGS_APART = [
  'rate-limits',
  'person-limits',
  'billing',
  'quota',
  'unknown-price',
  'unconfigured-billing',
  'local-tools',
  'rerank',
];

const SCENARIOS: readonly Scenario[] = [
  ...(['string', 'integer'] as const).map((subjectKeyType) => ({
    name: `${subjectKeyType}-subjects`,
    // Links of invitations come by mail in one of them, and in the answer in the other.
    mails: subjectKeyType === 'integer',
    settings: UNLIMITED,
    tenants: { first: { subjectKeyType }, second: { subjectKeyType }, people: {}, unsetSubjectKeys: {}, person: {} },
    tokensPerPerson: 100,
    args: [...SETTINGS_APART, ...(subjectKeyType === 'integer' ? [] : ['mail'])].flatMap((capability) => [
      '--without',
      capability,
    ]),
  })),
  {
    name: 'limits',
    settings: LIMITED,
    tenants: { first: {}, rateLimited: {}, person: {} },
    args: ['--needs', 'rate-limits', '--needs', 'person-limits', '--keep'],
    rateLimits: RATE_LIMITS,
  },
  {
    name: 'billing',
    settings: { ...UNLIMITED, ...BILLED },
    tenants: {
      first: { price: 'plenty' },
      unpaid: {},
      overQuota: { price: 'nothing' },
      unknownPrice: { price: 'forgotten' },
    },
    args: ['--needs', 'billing', '--needs', 'quota', '--needs', 'unknown-price', '--keep'],
  },
  {
    name: 'billing-not-configured',
    settings: { ...UNLIMITED, SERVICE_BILLING_ENFORCED: 'true', SERVICE_DEFAULT_ORGANIZATION_ID: LOCAL_ORGANIZATION },
    tenants: { first: { organizationId: LOCAL_ORGANIZATION }, unconfiguredBilling: {} },
    args: ['--needs', 'unconfigured-billing', '--needs', 'local-tools', '--keep'],
    localOrganizationId: LOCAL_ORGANIZATION,
  },
  {
    name: 'rerank',
    reranks: true,
    settings: UNLIMITED,
    tenants: { first: {} },
    args: ['--needs', 'rerank', '--keep'],
  },
];

/** `operationId status` of what the contract has, and of what any of the runs saw of it. */
const documented = new Set<string>();
const seenInAll = new Set<string>();
/** Ids of the checks that were selected, and of those that any of the runs did not skip. */
const selected = new Set<string>();
const looked = new Set<string>();

outliveReader();
console.log(`${SCENARIOS.length} runs, ${AT_ONCE} at a time, each shown when it is over`);
const waiting = [...SCENARIOS];
const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, runWaiting));
// Only now, since a server of another run would outlive this process.
for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;

console.log(`\ncontract: ${seenInAll.size} of ${documented.size} documented responses seen in all runs`);
const skipped = [...selected].filter((id) => !looked.has(id));
if (skipped.length > 0 && !process.argv.includes('--without')) {
  console.error(`skipped in every run: ${skipped.join(', ')}`);
  process.exitCode = NOT_LOOKED_AT;
}

async function runWaiting(): Promise<void> {
  for (let scenario = waiting.shift(); scenario; scenario = waiting.shift()) {
    const { code, output } = await runScenario(scenario);
    console.log(`\n${scenario.name}\n\n${output.trimEnd()}`);
    process.exitCode = Math.max(Number(process.exitCode ?? 0), code);
  }
}

async function runScenario({ name, mails, reranks, settings, tenants, args, ...told }: Scenario) {
  const mail = mails ? { host: '127.0.0.1', port: await freePort() } : undefined;
  await using provider = reranks ? await LocalProvider.start() : undefined;
  const all = { ...settings, ...(mail && mailingTo(mail)), ...provider?.settings };
  await using server = await LocalServer.start(all, tenants);
  const { first = '', ...tokens } = server.tokens;
  const folder = await mkdtemp(join(tmpdir(), 'memory-conformance-profile-'));
  try {
    const profile = join(folder, 'profile.json');
    await writeFile(profile, JSON.stringify({ tokens, mail, ...told }), { mode: 0o600 });
    const report = join(folder, 'report.json');
    const given = [
      '--strict',
      '--profile',
      profile,
      ...args,
      ...named(process.argv.slice(2), name),
      '--report',
      'json',
      report,
    ];
    const suite = spawn(process.execPath, [built('conformance/dist/main.js'), ...given], {
      env: { ...process.env, MEMORY_BASE_URL: server.url, MEMORY_TOKEN: first },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(suite, 'close');
    const output = await text(suite.stdout);
    const [code] = (await ended) as [number | null];
    await note(report);
    return { code: code ?? NOT_LOOKED_AT, output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Adds what a run saw. A run that failed early has no report. */
async function note(report: string): Promise<void> {
  const written = await readFile(report, 'utf8').catch(() => undefined);
  if (written === undefined) return;
  const { coverage, outcomes } = JSON.parse(written) as Pick<Run, 'coverage' | 'outcomes'>;
  for (const { id, status } of outcomes) {
    selected.add(id);
    if (status !== 'skipped') looked.add(id);
  }
  for (const { operationId, seen, unseen } of coverage.operations) {
    for (const status of [...seen, ...unseen]) documented.add(`${operationId} ${status}`);
    for (const status of seen) seenInAll.add(`${operationId} ${status}`);
  }
}

function mailingTo({ host, port }: { host: string; port: number }): Record<string, string> {
  return {
    SERVICE_SMTP_URL: `smtp://${host}:${port}`,
    SERVICE_MAIL_FROM: 'memory@example.test',
    SERVICE_PUBLIC_URL: 'https://memory.example.test',
  };
}

/** Returns the arguments, with the name of the run in the name of each report. */
function named(args: readonly string[], run: string): string[] {
  return args.map((arg, at) => {
    if (args[at - 2] !== '--report') return arg;
    const { dir, name, ext } = parse(arg);
    return join(dir, `${name}-${run}${ext}`);
  });
}
