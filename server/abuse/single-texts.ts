import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Latency, summarize } from '../bench/timing.js';
import { HttpClient } from '../testing/app/http-client.js';
import type { Place } from '../testing/processes/found-organizations.js';
import { type HostileBody, hostileBodies, SLOW_MS } from './hostile-bodies.js';
import { found, start, UNLIMITED } from './target.js';

/** The server warms its thread for long texts soon after its start, and is idle after that. */
const WARMING = { beginsMs: 1_000, readingMs: 500, idleMs: 25, readings: 60 };
/** Work after an answer, such as copying the log, belongs to the text before. */
const AFTER_ANSWER_MS = 20;
const IDLE_READINGS = 20;
const SHOWN = 10;
const PROCESSOR_SECONDS = /^process_cpu_seconds_total ([\d.e+-]+)$/m;

interface Timing {
  name: string;
  status: number;
  /** Milliseconds until the answer. */
  ms: number;
  /** Processor milliseconds of all threads of the server. */
  processorMs: number;
}

/** Sends each hostile text alone to a server of its own, and prints how long each takes. Returns unexpected answers. */
export async function runTexts(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-service-texts-'));
  try {
    const [[place] = []] = await found(folder, [1]);
    if (!place) throw new Error('there is no organization');
    const server = await start(folder, UNLIMITED);
    try {
      const timings = await timeAll(new HttpClient(Number(new URL(server.url).port)), place);
      print(timings);
      return timings.filter(isUnexpected).map(({ name, status }) => `${name}: ${status}`);
    } finally {
      await server.stop('SIGKILL');
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function timeAll(client: HttpClient, { token }: Place): Promise<Timing[]> {
  try {
    await untilIdle(client);
    const reading = await readingCost(client);
    const timings: Timing[] = [];
    for (const body of hostileBodies()) {
      const { processorMs, ...timing } = await time(client, token, body);
      timings.push({ ...timing, processorMs: Math.max(0, processorMs - reading) });
    }
    return timings;
  } finally {
    client.close();
  }
}

async function untilIdle(client: HttpClient): Promise<void> {
  const { beginsMs, readingMs, idleMs, readings } = WARMING;
  await sleep(beginsMs);
  for (let n = 0; n < readings; n += 1) {
    const before = await processorMsOf(client);
    await sleep(readingMs);
    if ((await processorMsOf(client)) - before <= idleMs) return;
  }
}

async function time(client: HttpClient, token: string, { name, body }: HostileBody): Promise<Timing> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const before = await processorMsOf(client);
  const startedAt = performance.now();
  const { status } = await client.send('POST', '/api/memories', body, headers);
  const ms = performance.now() - startedAt;
  await sleep(AFTER_ANSWER_MS);
  return { name, status, ms, processorMs: (await processorMsOf(client)) - before };
}

/** Returns the processor milliseconds that one reading of the metrics and a pause take. */
async function readingCost(client: HttpClient): Promise<number> {
  const costs: number[] = [];
  let before = await processorMsOf(client);
  for (let n = 0; n < IDLE_READINGS; n += 1) {
    await sleep(AFTER_ANSWER_MS);
    const after = await processorMsOf(client);
    costs.push(after - before);
    before = after;
  }
  return summarize(costs).p50;
}

async function processorMsOf(client: HttpClient): Promise<number> {
  const { text } = await client.send('GET', '/metrics');
  const seconds = PROCESSOR_SECONDS.exec(text)?.[1];
  if (seconds === undefined) throw new Error('the metrics do not tell the processor time');
  return Number(seconds) * 1_000;
}

/** A text is stored, merged with one that it repeats, or rejected. */
function isUnexpected({ status }: Timing): boolean {
  return ![200, 201, 400, 413, 422].includes(status);
}

function print(timings: readonly Timing[]): void {
  const soon = timings.filter(({ ms }) => ms <= SLOW_MS).length;
  const stored = timings.filter(({ status }) => status < 300).length;
  console.log(`${timings.length} texts, one at a time; ${stored} stored, the others rejected`);
  console.log(`${soon} answered within ${SLOW_MS} ms; ${shownLatency(summarize(timings.map(({ ms }) => ms)))}`);
  console.log(`processor time of the server: ${shownLatency(summarize(timings.map((each) => each.processorMs)))}`);
  printSlowest('longest until the answer', timings, ({ ms }) => ms);
  printSlowest('most processor time', timings, ({ processorMs }) => processorMs);
}

function shownLatency({ p50, p95 }: Latency): string {
  return `p50 ${rounded(p50)} ms, p95 ${rounded(p95)} ms`;
}

function printSlowest(title: string, timings: readonly Timing[], by: (timing: Timing) => number): void {
  console.log(`\n${SHOWN} with the ${title}: milliseconds, processor milliseconds, status, text`);
  const sorted = [...timings].sort((one, other) => by(other) - by(one));
  for (const { name, status, ms, processorMs } of sorted.slice(0, SHOWN)) {
    console.log(`${rounded(ms).padStart(7)} ${rounded(processorMs).padStart(7)} ${status} ${name}`);
  }
}

function rounded(ms: number): string {
  return ms.toFixed(1);
}
