import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { LocalEmbedder } from '../../adapters/embedding/local/local-embedder.js';
import { type AppOptions, createApp } from '../../app.js';
import { Background } from '../../background.js';
import { resolveDocument } from '../../contract-compiler/api-document.js';
import type { Deps, Limits } from '../../deps.js';
import type { Role } from '../../domain/account/role.js';
import { loadContract } from '../../http/contract/contract.js';
import type { LogFields, Logger } from '../../logger.js';
import type { ApiToken } from '../../ports/account-store.js';
import { makeToken } from '../../services/organization/tokens.js';
import { BreakableStore } from '../fixtures/breakable-store.js';
import { ControlledRateLimiter } from '../fixtures/controlled-rate-limiter.js';
import { Documented } from './documented.js';
import { type Answer, HttpClient, type SentHeaders } from './http-client.js';
import { testWorld } from './test-deps.js';

const contract = loadContract();
const documented = new Documented(contract, await resolveDocument(contract.document));

interface LogLine extends LogFields {
  level: 'info' | 'warn' | 'error';
}

export interface TestApp {
  deps: Deps;
  port: number;
  organizationId: string;
  /** A token of the organization's owner, with all abilities. */
  token: string;
  /** The store of the service, which a test can break. */
  store: BreakableStore;
  /** The rate limiter, unless the test passed another one. */
  rateLimiter: ControlledRateLimiter;
  lifecycle: { starting: boolean; stopping: boolean; embeddedOtherwise: number };
  logged: LogLine[];

  /**
   * Sends a request with the owner's token. The test fails if the document does not describe the answer.
   *
   * @param body an object is sent as JSON, a string or bytes unchanged
   * @param headers added, or left out if undefined
   */
  send(method: string, path: string, body?: unknown, headers?: SentHeaders): Promise<Answer>;
}

export interface TestOverrides extends Partial<Omit<Deps, 'limits' | 'store' | 'logger'>> {
  limits?: Partial<Limits>;
}

/** Starts the whole service on its own port and folder, and removes both when the test ends. */
export async function testApp(overrides: TestOverrides = {}, options: AppOptions = {}): Promise<TestApp> {
  const { deps: world, caller, token } = await testWorld();
  const store = new BreakableStore(world.store);
  const rateLimiter = new ControlledRateLimiter();
  const logged: LogLine[] = [];
  const lifecycle = { starting: false, stopping: false, embeddedOtherwise: 0 };
  const logger = recordingLogger(logged);
  const background = new Background(logger);
  onTestFinished(() => background[Symbol.asyncDispose]());
  const deps: Deps = {
    ...world,
    background,
    embedder: new LocalEmbedder(),
    rateLimiter,
    ...overrides,
    store: store.store,
    logger,
    limits: { ...world.limits, ...overrides.limits },
  };

  const app = createApp(deps, { contract, lifecycle, eventLoopDelayMs: () => 0, ...options });
  const port = await listen(app.callback());
  const client = new HttpClient(port);
  onTestFinished(() => client.close());

  return {
    deps,
    port,
    organizationId: caller.organizationId,
    token,
    store,
    rateLimiter,
    lifecycle,
    logged,
    async send(method, path, body, headers = {}) {
      const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const all = { authorization: `Bearer ${token}`, ...type, ...headers };
      const answer = await client.send(method, path, isRaw ? body : JSON.stringify(body), all);
      documented.check(method, path, answer);
      return answer;
    },
  };
}

/** Founds another organization on the same store, and returns its token. */
export async function foundOrganization(
  { store, now, newId }: Deps,
  token: Partial<ApiToken> = {},
): Promise<{ organizationId: string; token: string }> {
  const organizationId = newId();
  const owner = { id: newId(), email: `${newId()}@example.test` };
  const made = makeToken({ now, newId }, { organizationId, userId: owner.id, name: 'test', abilities: ['*'] });
  await store.accounts.createOrganization({
    organization: { id: organizationId, name: 'other', createdAt: now() },
    owner,
    token: { ...made.record, ...token },
  });
  return { organizationId, token: made.token };
}

async function listen(callback: Parameters<typeof createServer>[1]): Promise<number> {
  // The product has the same timeout. With the default of 5 s, a busy machine closes connections that a test is about to use again.
  const server = createServer({ keepAliveTimeout: 65_000 }, callback);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function recordingLogger(lines: LogLine[]): Logger {
  const record = (level: LogLine['level']) => (fields: LogFields) => {
    lines.push({ ...fields, level });
  };
  return { info: record('info'), warn: record('warn'), error: record('error') };
}

/** Adds a member with a token to the app's organization. */
export async function member(
  { deps, organizationId }: Pick<TestApp, 'deps' | 'organizationId'>,
  role: Role,
  abilities: readonly string[],
): Promise<{ userId: string; email: string; tokenId: string; headers: Record<string, string> }> {
  const userId = deps.newId();
  const { token, record } = makeToken(deps, { organizationId, userId, name: role, abilities });
  const email = `${userId}@example.test`;
  await deps.store.transact(organizationId, async ({ accounts }) => {
    await accounts.insertUser({ id: userId, email });
    await accounts.insertMember({ userId, role, joinedAt: deps.now() });
    await accounts.insertToken(record);
  });
  return { userId, email, tokenId: record.id, headers: { authorization: `Bearer ${token}` } };
}
