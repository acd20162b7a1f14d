import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryClient } from '@memory-service/sdk';
import { verifyWebhook } from '@memory-service/sdk/webhooks';
import { expect, onTestFinished, test } from 'vitest';
import { httpReceiver } from '../../testing/processes/receiver.js';
import { builtPackage, ServerProcess } from '../../testing/processes/server-process.js';

const ROUNDS = 3;
const EVENTS_PER_ROUND = 168;
const BATCH = 42;

test('every event of an acknowledged write arrives, signed, however often the server is killed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'memory-outbound-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const deliveries = new ReceivedDeliveries();
  const receiver = await httpReceiver((response, request) => {
    response.writeHead(204).end();
    const { payload } = JSON.parse(request.body) as { payload: { id: string } };
    deliveries.add(payload.id, String(request.headers['x-service-delivery']));
  });
  const written: string[] = [];

  let server = await start(dataDir);
  const { secret } = await new MemoryClient(server.credentials).outboundWebhooks.create({
    url: receiver.url,
    events: ['memory.ingested'],
  });
  for (let round = 0; round < ROUNDS; round++) {
    const client = new MemoryClient(server.credentials);
    for (let n = 0; n < EVENTS_PER_ROUND; n += BATCH) {
      const items = Array.from({ length: BATCH }, (_, item) => ({ content: `round ${round} event ${n + item}` }));
      const { results } = await client.ingestBatch({ items });
      for (const result of results) if ('id' in result) written.push(result.id);
    }
    // The kill comes in mid-round: some deliveries of this round have arrived, others have not.
    await deliveries.atLeast(round * EVENTS_PER_ROUND + EVENTS_PER_ROUND / 4);
    await server.stop('SIGKILL');
    server = await start(dataDir);
  }
  await deliveries.all(written);

  expect(written).toHaveLength(ROUNDS * EVENTS_PER_ROUND);
  expect(written.filter((id) => deliveries.countOf(id) !== 1)).toEqual([]);
  const { body, headers } = receiver.received.at(-1)!;
  await expect(verifyWebhook({ body, headers, secret })).resolves.toMatchObject({ event: 'memory.ingested' });
});

/** Records the memories and ids of received deliveries, and lets a test wait for them. */
class ReceivedDeliveries {
  readonly #deliveries = new Map<string, Set<string>>();
  #added = () => {};

  add(memoryId: string, deliveryId: string): void {
    this.#deliveries.set(memoryId, (this.#deliveries.get(memoryId) ?? new Set()).add(deliveryId));
    this.#added();
  }

  /** Counts the deliveries about a memory; repetitions of one count once. */
  countOf(memoryId: string): number {
    return this.#deliveries.get(memoryId)?.size ?? 0;
  }

  atLeast(count: number): Promise<void> {
    return this.#until(() => this.#deliveries.size >= count);
  }

  all(memoryIds: readonly string[]): Promise<void> {
    return this.#until(() => memoryIds.every((id) => this.#deliveries.has(id)));
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.#added = resolve;
      });
    }
  }
}

async function start(dataDir: string): Promise<ServerProcess> {
  const server = await ServerProcess.start(builtPackage('server'), dataDir, { SERVICE_RATE_LIMIT_INGEST: '1000000' });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}
