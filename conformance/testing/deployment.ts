import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../server/config.js';
import { createContainer } from '../../server/container.js';
import { startService } from '../../server/service.js';
import { createFirstOrganization } from '../../server/services/first-organization.js';
import { foundOrganization } from '../../server/testing/test-app.js';
import type { Capability } from '../capability.js';
import type { Contract } from '../contract.js';
import { overNetwork, type Transport } from '../http.js';
import { type Profile, toProfile } from '../profile.js';
import { Target } from '../target.js';

const PLENTY = '1000000';

/** The service as it runs, with organizations for every kind of check. Disposing of it ends it. */
export interface Deployment extends AsyncDisposable {
  readonly url: string;
  readonly profile: Profile;
  /** What it has no way to offer. */
  readonly without: ReadonlySet<Capability>;
  /** A target on it, directly or through what stands in between. */
  target(contract: Contract, through?: (transport: Transport) => Transport): Target;
}

/** Starts the service on a free port and a folder of its own. */
export async function startDeployment(subjectKeyType: 'integer' | 'string'): Promise<Deployment> {
  const dataDir = await mkdtemp(join(tmpdir(), 'memory-conformance-'));
  const config = readConfig({
    APP_ENV: 'local',
    PORT: '0',
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LOG_LEVEL: 'silent',
    SERVICE_CONTENT_SCAN_ENABLED: 'true',
    SERVICE_RATE_LIMIT_INGEST: PLENTY,
    SERVICE_RATE_LIMIT_SEARCH: PLENTY,
    SERVICE_RATE_LIMIT_ADMIN: PLENTY,
  });
  const tokens = await foundOrganizations(config);
  const service = await startService(config, (error) => {
    throw error;
  });
  await chooseType(service.url, tokens.first, subjectKeyType);
  const profile = toProfile({ subjectKeyType, tokens: { second: tokens.second, unsetSubjectKeys: tokens.unset } });
  const without = new Set<Capability>();
  return {
    url: service.url,
    profile,
    without,
    target: (contract, through = (transport) => transport) =>
      new Target({ transport: through(overNetwork(service.url)), token: tokens.first, profile, without, contract }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function foundOrganizations(config: Parameters<typeof createContainer>[0]) {
  await using container = await createContainer(config, (error) => {
    throw error;
  });
  const first = await createFirstOrganization(container.deps);
  if (!first) throw new Error('a fresh store has an organization already');
  const second = await foundOrganization(container.deps);
  const unset = await foundOrganization(container.deps);
  return { first: first.token, second: second.token, unset: unset.token };
}

async function chooseType(url: string, token: string, subjectKeyType: string): Promise<void> {
  const { status } = await fetch(`${url}/api/organization/settings`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ subjectKeyType }),
  });
  if (status !== 200) throw new Error(`the subject key type could not be chosen (${status})`);
}
