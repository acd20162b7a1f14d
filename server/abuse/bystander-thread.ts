import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Corpus } from '../bench/corpus.js';
import { HttpClient } from '../testing/app/http-client.js';
import type { BystanderOrder, BystanderSetup, Sample } from './bystander.js';

/** The bystander runs in its own thread, so that the computations of an attack do not delay its measurements. */

const { port, tenants, intervalMs, deadlineMs } = workerData as BystanderSetup;
const MODES = ['hybrid', 'vector', 'keyword'];
const JSON_TYPE = { 'content-type': 'application/json' };
const CHECK_MS = 5;

const client = new HttpClient(port);
const corpus = new Corpus(7);
const seenAt = new Map<string, number>();
const pending = new Set<Promise<void>>();
let samples: Sample[] = [];
let isActive = false;
let turn = 0;

const receiver = createServer((request, response) => {
  text(request).then(
    (body) => {
      const { payload } = JSON.parse(body) as { payload?: { id?: string } };
      if (payload?.id !== undefined) seenAt.set(payload.id, performance.now());
      response.writeHead(204).end();
    },
    () => response.destroy(),
  );
});

await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
for (const { token } of tenants) {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
  const body = JSON.stringify({ url, events: ['memory.ingested', 'memory.updated'] });
  const { status, text: said } = await client.send('POST', '/api/organization/outbound-webhooks', body, headers);
  if (status !== 201) throw new Error(`the bystander has no webhook: ${status} ${said}`);
}

setInterval(() => {
  if (!isActive) return;
  const { token = '' } = tenants[turn++ % tenants.length] ?? {};
  track(search(token));
  track(write(token));
}, intervalMs);

parentPort?.on('message', (order: BystanderOrder) => {
  if (order === 'go') isActive = true;
  else collect();
});
parentPort?.postMessage('ready');

/** Stops, waits for pending requests, and returns the samples. */
async function collect(): Promise<void> {
  isActive = false;
  while (pending.size > 0) await Promise.all(pending);
  parentPort?.postMessage(samples);
  samples = [];
  seenAt.clear();
}

function track(work: Promise<void>): void {
  const tracked = work.finally(() => pending.delete(tracked));
  pending.add(tracked);
}

async function search(token: string): Promise<void> {
  const body = { query: corpus.query(corpus.next().content), limit: 10, mode: MODES[turn % MODES.length] };
  await timed('search', token, '/api/memories/search', body);
}

async function write(token: string): Promise<void> {
  const id = await timed('write', token, '/api/memories', corpus.next());
  if (id === undefined) return;
  const answeredAt = performance.now();
  while (!seenAt.has(id) && performance.now() - answeredAt < deadlineMs) await sleep(CHECK_MS);
  const at = seenAt.get(id);
  samples.push({ kind: 'event', ms: Math.max(0, (at ?? performance.now()) - answeredAt), status: at ? 200 : 0 });
}

/** Sends a request and records its time. Resolves with the id of the stored memory. */
async function timed(kind: Sample['kind'], token: string, path: string, body: unknown): Promise<string | undefined> {
  const startedAt = performance.now();
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
  const sending = client.send('POST', path, JSON.stringify(body), headers).catch(() => undefined);
  const answer = await Promise.race([sending, sleep(deadlineMs, undefined, { ref: false })]);
  samples.push({ kind, ms: performance.now() - startedAt, status: answer?.status ?? 0 });
  return answer?.body.id as string | undefined;
}
