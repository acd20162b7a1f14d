import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { anIssueEvent } from '../../testing/inbound/tracker.js';
import { builtPackage, ServerProcess } from '../../testing/processes/server-process.js';

const EVENTS = 1_000;
const COPIES = 3;
const FORGED = 500;
const SENDERS = 8;
/** The numbers of answers after which the server is killed and started again. */
const KILLS = [500, 1_500, 2_500];
/** Long enough for a busy machine; fails the test if it hangs. */
const TIMEOUT_MS = 600_000;

test(
  'stores each of 1,000 deliveries once, sent three times in random order to a server that is killed repeatedly',
  async () => {
    const run = await Run.start();
    const deliveries = shuffled([
      ...Array.from({ length: EVENTS * COPIES }, (_, at) => ({ event: at % EVENTS, forged: false })),
      ...Array.from({ length: FORGED }, (_, at) => ({ event: EVENTS + at, forged: true })),
    ]);

    const answers = await run.sendAll(deliveries);

    const genuine = answers.filter(({ forged }) => !forged);
    expect(answers.filter(({ forged, status }) => forged && status !== 401)).toEqual([]);
    expect(genuine.filter(({ status }) => status !== 200)).toEqual([]);
    expect(new Set(genuine.map(({ event }) => event)).size).toBe(EVENTS);
    while ((await run.memories()) < EVENTS);
    while ((await run.queued()) > 0);
    expect(await run.memories()).toBe(EVENTS);
  },
  TIMEOUT_MS,
);

interface Sent {
  event: number;
  forged: boolean;
}

interface DeliveriesPage {
  inboundDeliveries: { state: string }[];
  nextCursor?: string;
}

/** A server and an issue tracker that delivers to it. */
class Run {
  private answered = 0;
  private readonly kills = [...KILLS];
  private restarting: Promise<void> | undefined;

  private constructor(
    private readonly dataDir: string,
    private server: ServerProcess,
    private readonly webhook: { id: string; path: string; secret: string },
  ) {}

  static async start(): Promise<Run> {
    const dataDir = await mkdtemp(join(tmpdir(), 'memory-inbound-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const server = await startServer(dataDir);
    const answer = await call(server, 'POST', '/api/organization/inbound-webhooks', { kind: 'tracker', name: 'ENG' });
    return new Run(dataDir, server, answer as Run['webhook']);
  }

  /** Sends everything, several at a time. Repeats deliveries without an answer, as their sender would. */
  async sendAll(deliveries: Sent[]): Promise<(Sent & { status: number })[]> {
    const answers: (Sent & { status: number })[] = [];
    const waiting = [...deliveries];
    const send = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const status = await this.send(next);
        if (status === undefined) waiting.unshift(next);
        else answers.push({ ...next, status });
      }
    };
    while (answers.length < deliveries.length) await Promise.all(Array.from({ length: SENDERS }, send));
    return answers;
  }

  /** Counts deliveries that are not ingested yet. */
  async queued(): Promise<number> {
    let queued = 0;
    for (let cursor = '', more = true; more; ) {
      const path = `/api/organization/inbound-webhooks/${this.webhook.id}/deliveries?limit=500${cursor}`;
      const page = (await call(this.server, 'GET', path)) as DeliveriesPage;
      queued += page.inboundDeliveries.filter(({ state }) => state === 'queued').length;
      more = page.nextCursor !== undefined;
      cursor = `&cursor=${encodeURIComponent(page.nextCursor ?? '')}`;
    }
    return queued;
  }

  async memories(): Promise<number> {
    const stats = (await call(this.server, 'GET', '/api/memories/stats')) as { meta: { total: number } };
    return stats.meta.total;
  }

  private async send({ event, forged }: Sent): Promise<number | undefined> {
    await this.restarting;
    const data = { id: `issue-${event}`, number: event, identifier: `ENG-${event}`, title: `Issue number ${event}` };
    const body = JSON.stringify(anIssueEvent('create', data));
    const secret = forged ? 'not the secret' : this.webhook.secret;
    const headers = {
      'content-type': 'application/json',
      'tracker-delivery': `delivery-${event}`,
      'tracker-signature': createHmac('sha256', secret).update(body).digest('hex'),
    };
    try {
      const answer = await fetch(this.server.url + this.webhook.path, { method: 'POST', body, headers });
      await answer.arrayBuffer();
      this.killIfDue();
      return answer.status;
    } catch {
      return undefined;
    }
  }

  private killIfDue(): void {
    this.answered += 1;
    if (this.answered < (this.kills[0] ?? Number.POSITIVE_INFINITY)) return;
    this.kills.shift();
    this.restarting = this.restart();
  }

  private async restart(): Promise<void> {
    await this.server.stop('SIGKILL');
    this.server = await startServer(this.dataDir);
  }
}

async function startServer(dataDir: string): Promise<ServerProcess> {
  const unlimited = { SERVICE_RATE_LIMIT_INGEST: '1000000', SERVICE_RATE_LIMIT_SEARCH: '1000000' };
  const server = await ServerProcess.start(builtPackage('server'), dataDir, unlimited);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

/** Sends a request as the owner. */
async function call(
  { url, credentials }: ServerProcess,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${credentials.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(answer.ok).toBe(true);
  return answer.json();
}

/** Shuffles into the same order in every run. */
function shuffled<Item>(items: Item[]): Item[] {
  let state = 20_260_302;
  for (let at = items.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const other = state % (at + 1);
    [items[at], items[other]] = [items[other] as Item, items[at] as Item];
  }
  return items;
}
