import { rm } from 'node:fs/promises';
import { type Config, readConfig } from '../../server/config/config.js';
import { createContainer } from '../../server/container.js';
import type { Deps } from '../../server/deps.js';
import { startService } from '../../server/service.js';
import { createFirstOrganization } from '../../server/services/organization/first-organization.js';
import { foundOrganization } from '../../server/testing/app/test-app.js';
import { makeQuickFolder } from '../../server/testing/processes/quick-folder.js';
import type { Check } from '../checks/check.js';
import { freePort } from '../local/free-port.js';
import { LocalProvider } from '../local/local-provider.js';
import type { Contract } from '../transport/contract.js';
import { overNetwork } from '../transport/http.js';
import type { Transport } from '../transport/paced.js';
import type { Capability } from '../world/capability.js';
import { type Profile, toProfile } from '../world/profile.js';
import { Target } from '../world/target.js';

/** The service's limit of active tokens of a user. */
const MAX_LIVE_TOKENS = 100;
const PLENTY = '1000000';
const RATE_LIMITS = { ingest: 5, search: 9, admin: 4 };
const NO_CAPS = { name: 'Plenty', ingestPerMonth: null, searchPerMonth: null };
const NOTHING = { name: 'Nothing', ingestPerMonth: 0, searchPerMonth: 0 };

const LOCAL_ORGANIZATION = '0198c5a0-5d00-7b20-8f11-9a8b7c6d5e4f';

/** The kinds of deployments that checks need. */
const ENVIRONMENTS = {
  string: {},
  integer: {},
  limited: {
    SERVICE_RATE_LIMIT_INGEST: String(RATE_LIMITS.ingest),
    SERVICE_RATE_LIMIT_SEARCH: String(RATE_LIMITS.search),
    SERVICE_RATE_LIMIT_ADMIN: String(RATE_LIMITS.admin),
    SERVICE_DEFAULT_ORGANIZATION_ID: LOCAL_ORGANIZATION,
  },
  billed: {
    SERVICE_BILLING_ENFORCED: 'true',
    BILLING_SECRET: 'a secret of the billing provider',
    SERVICE_PLANS: JSON.stringify({ plenty: NO_CAPS, nothing: NOTHING }),
  },
  unbilled: { SERVICE_BILLING_ENFORCED: 'true' },
  reranked: {},
} as const satisfies Record<string, Record<string, string>>;

export type DeploymentKind = keyof typeof ENVIRONMENTS;

const KINDS: Partial<Record<Capability, DeploymentKind>> = {
  'rate-limits': 'limited',
  'person-limits': 'limited',
  billing: 'billed',
  quota: 'billed',
  'unknown-price': 'billed',
  'unconfigured-billing': 'unbilled',
  mail: 'integer',
  'local-tools': 'limited',
  rerank: 'reranked',
};

/** The deployment that a check must be run against. */
export function kindFor({ needs = [] }: Check): DeploymentKind {
  return needs.map((capability) => KINDS[capability]).find((kind) => kind !== undefined) ?? 'string';
}

export interface Through {
  through?: (transport: Transport) => Transport;
  /** How long a check waits for asynchronous work of the deployment. */
  patienceMs?: number;
}

/** The service as it runs, with organizations for every kind of check. Disposing of it ends it. */
export interface Deployment extends AsyncDisposable {
  /** A target on it, directly or through what stands in between. */
  target(contract: Contract, options?: Through): Target;
}

function direct(transport: Transport): Transport {
  return transport;
}

/** Starts the service on a free port and a folder of its own. */
export async function startDeployment(kind: DeploymentKind): Promise<Deployment> {
  const dataDir = makeQuickFolder();
  const provider = kind === 'reranked' ? await LocalProvider.start() : undefined;
  const mail = kind === 'integer' ? { host: '127.0.0.1', port: await freePort() } : undefined;
  const config = readConfig({
    APP_ENV: 'local',
    PORT: '0',
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LOG_LEVEL: 'silent',
    SERVICE_CONTENT_SCAN_ENABLED: 'true',
    SERVICE_RATE_LIMIT_INGEST: PLENTY,
    SERVICE_RATE_LIMIT_SEARCH: PLENTY,
    SERVICE_RATE_LIMIT_ADMIN: PLENTY,
    SERVICE_RATE_LIMIT_SIGN_IN_ADDRESS: PLENTY,
    ...(mail && {
      SERVICE_SMTP_URL: `smtp://${mail.host}:${mail.port}`,
      SERVICE_MAIL_FROM: 'memory@example.test',
      SERVICE_PUBLIC_URL: 'https://memory.example.test',
    }),
    ...ENVIRONMENTS[kind],
    ...provider?.settings,
  });
  const { first, ...tokens } = await foundOrganizations(config);
  const service = await startService(config, (error) => {
    throw error;
  });
  const subjectKeyType = kind === 'integer' ? 'integer' : 'string';
  await chooseType(service.url, first, subjectKeyType);
  const profile: Profile = toProfile({
    subjectKeyType,
    rateLimits: RATE_LIMITS,
    tokensPerPerson: MAX_LIVE_TOKENS,
    tokens,
    mail,
    ...ofLocalTools(config),
  });
  const base = { token: first, profile, without: new Set<Capability>() };
  let host: Target | undefined;
  return {
    target: (contract, { through = direct, ...options } = {}) =>
      new Target({
        ...base,
        transport: through(overNetwork(service.url)),
        contract,
        // Hashing passwords is slow: one of each role for all targets.
        people: (role) => {
          host ??= new Target({ ...base, transport: overNetwork(service.url), contract });
          return host.people.get(role);
        },
        ...options,
      }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await provider?.[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function ofLocalTools({ defaultOrganizationId }: Pick<Config, 'defaultOrganizationId'>) {
  return { localOrganizationId: defaultOrganizationId };
}

async function foundOrganizations(config: Config) {
  await using container = await createContainer(config, (error) => {
    throw error;
  });
  const { deps } = container;
  const first = await createFirstOrganization(deps, config.defaultOrganizationId);
  if (!first) throw new Error('a fresh store has an organization already');
  await subscribe(deps, first.organizationId, 'plenty');
  return {
    first: first.token,
    second: await found(deps, 'plenty'),
    people: await found(deps, 'plenty'),
    unsetSubjectKeys: await found(deps, 'plenty'),
    rateLimited: await found(deps, 'plenty'),
    person: await found(deps, 'plenty'),
    overQuota: await found(deps, 'nothing'),
    unknownPrice: await found(deps, 'forgotten'),
    unpaid: await found(deps),
    unconfiguredBilling: await found(deps),
  };
}

/** An organization that pays a price, or none. */
async function found(deps: Deps, priceId?: string): Promise<string> {
  const { organizationId, token } = await foundOrganization(deps);
  if (priceId !== undefined) await subscribe(deps, organizationId, priceId);
  return token;
}

async function subscribe({ store, now }: Deps, organizationId: string, priceId: string): Promise<void> {
  await store.transact(organizationId, (unit) =>
    unit.subscriptions.save({
      id: `of-${organizationId}`,
      status: 'active',
      priceIds: [priceId],
      anchorAt: now(),
      cancelAtPeriodEnd: false,
      changedAt: now(),
      changeRank: 0,
    }),
  );
}

async function chooseType(url: string, token: string, subjectKeyType: string): Promise<void> {
  const { status } = await fetch(`${url}/api/organization/settings`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ subjectKeyType }),
  });
  if (status !== 200) throw new Error(`the subject key type could not be chosen (${status})`);
}
