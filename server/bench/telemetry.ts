import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { builtPackage } from '../testing/processes/server-process.js';
import { ask, loadBatches, searchFor } from './alone.js';
import type { Corpus } from './corpus.js';
import { printTable, type Row } from './table.js';
import { summarize } from './timing.js';
import type { Truth } from './truth.js';
import { EMBEDDED, World } from './world.js';

/** The servers take turns this many times. The first turns only warm up. */
const TURNS = 16;
const WARM_UP_TURNS = 4;
/** Calls of a turn. Their spans fit into the queue of the SDK. */
const CALLS = 150;
const EXPORT_DELAY_MS = 250;

interface Traced {
  what: string;
  world: World;
  searchMs: number[];
  ingestMs: number[];
}

/** Measures the processor time of a search and a single ingest without traces, with all traces, and with a tenth. */
export async function benchTelemetry(folder: string, corpus: Corpus, truth: Truth, size: number): Promise<void> {
  const collector = await startCollector();
  const sampled = (ratio: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: String(EXPORT_DELAY_MS),
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
  });
  const settings = { off: { OTEL_SDK_DISABLED: 'true' }, 'ratio 0.1': sampled('0.1'), 'ratio 1.0': sampled('1') };
  const sides: Traced[] = [];
  try {
    for (const [what, env] of Object.entries(settings)) {
      const own = await mkdtemp(join(folder, 'telemetry-'));
      const world = await World.start(builtPackage('server'), own, 1, {
        ...EMBEDDED,
        env: { ...EMBEDDED.env, ...env },
      });
      sides.push({ what, world, searchMs: [], ingestMs: [] });
      await loadBatches(world, corpus, truth, size);
    }
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const side of turn % 2 === 0 ? sides : sides.toReversed()) await takeTurn(side, corpus, turn);
    }
  } finally {
    for (const { world } of sides) await world.stop();
    collector.close();
  }
  printTable(
    `${size} memories, processor time per call, ${collector.bytes()} bytes of traces and metrics`,
    rows(sides),
    [],
  );
}

async function takeTurn({ world, searchMs, ingestMs }: Traced, corpus: Corpus, turn: number): Promise<void> {
  const questions = ask(world, corpus, CALLS);
  const items = corpus.take(CALLS);
  const searched = await processorMsOf(world, async () => {
    for (const question of questions) await searchFor(world, question, {});
  });
  const ingested = await processorMsOf(world, async () => {
    for (const item of items) await world.client(0).ok('POST', '/api/memories', item);
  });
  if (turn < WARM_UP_TURNS) return;
  searchMs.push(searched / CALLS);
  ingestMs.push(ingested / CALLS);
}

/** Returns the processor time that work costs the server, with the export of its spans. */
async function processorMsOf(world: World, work: () => Promise<void>): Promise<number> {
  const before = await world.processorMs();
  await work();
  await pause(2 * EXPORT_DELAY_MS);
  return (await world.processorMs()) - before;
}

function rows(sides: readonly Traced[]): Row[] {
  const [off] = sides;
  return sides.flatMap(({ what, searchMs, ingestMs }) => [
    { what: `search, ${what}`, value: compared(searchMs, off?.searchMs ?? []) },
    { what: `single ingest, ${what}`, value: compared(ingestMs, off?.ingestMs ?? []) },
  ]);
}

function compared(times: readonly number[], base: readonly number[]): string {
  const [own, other] = [summarize(times).p50, summarize(base).p50];
  const range = `${Math.min(...times).toFixed(2)} to ${Math.max(...times).toFixed(2)}`;
  return `median ${own.toFixed(3)} ms (${range}), ${((own / other - 1) * 100).toFixed(1)} % more than off`;
}

/** Accepts whatever is sent. */
async function startCollector(): Promise<{ url: string; bytes: () => number; close: () => void }> {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.writeHead(200).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, bytes: () => bytes, close: () => void server.close() };
}
