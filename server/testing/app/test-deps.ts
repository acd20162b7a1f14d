import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { onTestFinished } from 'vitest';
import { AgendaJobQueue } from '../../adapters/agenda/job-queue.js';
import { PrometheusMetrics } from '../../adapters/metrics/prometheus-metrics.js';
import { deriveKey } from '../../adapters/password/derive-key.js';
import { ScryptPasswords } from '../../adapters/password/scrypt-passwords.js';
import { MemoryRateLimiter } from '../../adapters/rate-limiter/memory-rate-limiter.js';
import { doTextWork, type TextOrder } from '../../adapters/text-work/do-text-work.js';
import { packed } from '../../adapters/text-work/text-answer.js';
import { TextTurns } from '../../adapters/text-work/text-turns.js';
import { Background } from '../../background.js';
import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { ABILITIES } from '../../domain/account/role.js';
import { SecretBox } from '../../domain/account/secret-box.js';
import { RefusalCounter } from '../../domain/inbound/refusal-counter.js';
import { createLogger } from '../../logger.js';
import { authenticate } from '../../services/access/access.js';
import { createFirstOrganization } from '../../services/organization/first-organization.js';
import { LetterEmbedder } from '../fixtures/letter-embedder.js';
import { RecordingSender } from '../fixtures/recording-sender.js';
import { openTestStore } from './test-store.js';

export interface TestWorld {
  deps: Deps & { embedder: LetterEmbedder };
  /** The owner of a new organization. */
  caller: Caller;
  token: string;
}

/** Returns the real services on their own store, which is removed when the test ends. */
export async function testWorld(overrides: Partial<Deps> & { embedder?: LetterEmbedder } = {}): Promise<TestWorld> {
  const now = overrides.now ?? (() => Date.now() * 1_000);
  const store = await openTestStore(now);
  const logger = createLogger('silent');
  const jobs = overrides.jobs ?? new AgendaJobQueue(store.jobs, logger);
  onTestFinished(() => jobs[Symbol.asyncDispose]());
  const background = new Background(logger);
  onTestFinished(() => background[Symbol.asyncDispose]());
  const deps = {
    store,
    jobs,
    embedder: new LetterEmbedder(),
    // Runs in this thread, because a thread takes longer to start than most tests take.
    texts: new TextTurns({ ask: (order: TextOrder) => packed(() => doTextWork(order)) }),
    rateLimiter: new MemoryRateLimiter({
      ingest: 1_000_000,
      search: 1_000_000,
      admin: 1_000_000,
      tools: 1_000_000,
      signIn: 1_000_000,
      signInAddress: 1_000_000,
      signInAccount: 1_000_000,
    }),
    logger,
    metrics: new PrometheusMetrics(jobs, {
      process: false,
      indexUse: () => store.indexUse?.(),
      vectorSearches: () => store.vectorSearches?.(),
    }),
    inboundRefusals: new RefusalCounter(),
    httpSender: new RecordingSender(),
    endpointRules: { allowLoopback: true },
    contentScan: undefined,
    secretBox: new SecretBox([randomBytes(32)]),
    access: { wildcard: true, secureCookies: false, publicUrl: 'https://memory.example.test' },
    passwords: new ScryptPasswords({ N: 2, p: 1 }, async (order) => deriveKey(order)),
    mailer: undefined,
    background,
    now,
    newId: () => v7(),
    random: () => 0.5,
    limits: {
      contentLength: 100_000,
      batchItems: 50,
      bodyBytes: 2 * 1024 * 1024,
      batchBodyBytes: 32 * 1024 * 1024,
      codeHostBodyBytes: 25 * 1024 * 1024,
      requestsInFlight: 256,
    },
    billing: { enforced: false, configured: false, plans: new Map() },
    billingProvider: undefined,
    customerPortal: undefined,
    ...overrides,
  };
  const first = await createFirstOrganization(deps);
  if (!first) throw new Error('a fresh store has an organization already');
  const { credential: token } = await authenticate(deps, `Bearer ${first.token}`);
  return { deps, caller: testCaller(deps, first.organizationId, token), token: first.token };
}

/** Founds another organization on the same store, and returns its owner. */
export async function anotherCaller(deps: Deps): Promise<Caller> {
  const organizationId = deps.newId();
  const ownerId = deps.newId();
  const token = {
    id: deps.newId(),
    organizationId,
    userId: ownerId,
    name: 'other',
    digest: deps.newId(),
    prefix: 'msk_',
    lastFour: '',
  };
  await deps.store.accounts.createOrganization({
    organization: { id: organizationId, name: 'other', createdAt: deps.now() },
    owner: { id: ownerId, email: `${ownerId}@example.test` },
    token: { ...token, abilities: ['*'], createdAt: deps.now() },
  });
  return testCaller(deps, organizationId, token);
}

function testCaller(deps: Deps, organizationId: string, token: { id: string; userId: string }): Caller {
  return {
    organizationId,
    role: 'owner',
    actor: { type: 'token', id: token.id, userId: token.userId },
    abilities: ABILITIES,
    credentialId: token.id,
    requestId: deps.newId(),
    source: 'rest',
  };
}
