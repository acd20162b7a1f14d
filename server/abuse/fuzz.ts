import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { HttpClient } from '../testing/app/http-client.js';
import { type ArbitraryRequest, arbitraryRequest, targetOf } from '../testing/fixtures/arbitrary-request.js';
import type { Place } from '../testing/processes/found-organizations.js';
import type { ServerProcess } from '../testing/processes/server-process.js';
import { Tally } from './tally.js';
import { found, start, UNLIMITED } from './target.js';

const TENANTS = 8;
/** More parallel requests than one organization may have. */
const LOOPS = 96;
const PART = 2_000;
/** The form in which a rejection names the share in use. */
const NAMES_SHARE = /already ha(?:s|ve) (?:N|other) .+: try again$/;

/** Sends requests over all operations, with no rate limits but all shares. Returns each violation of the contract. */
export async function runFuzz(count: number, seed: number): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-service-fuzz-'));
  const [tenants = []] = await found(folder, [TENANTS]);
  const server = await start(folder, UNLIMITED);
  try {
    return await send(server, tenants, count, seed);
  } finally {
    await server.stop('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

async function send(server: ServerProcess, tenants: readonly Place[], count: number, seed: number): Promise<string[]> {
  const tally = new Tally();
  const client = new HttpClient(Number(new URL(server.url).port));
  const ids = await Promise.all(tenants.map(({ token }) => stored(client, token)));
  for (let sent = 0; sent < count && server.ended === undefined; sent += PART) {
    const requests = fc.sample(arbitraryRequest, { numRuns: Math.min(PART, count - sent), seed: seed + sent });
    let next = 0;
    const loop = async () => {
      for (let n = next++; n < requests.length; n = next++) {
        const tenant = n % tenants.length;
        await sendOne(client, tally, requests[n] as ArbitraryRequest, tenants[tenant]?.token, ids[tenant] ?? '');
      }
    };
    await Promise.all(Array.from({ length: LOOPS }, loop));
  }
  client.close();
  for (const [reason, times] of tally.refusals) console.log(`503 × ${times}: ${reason}`);
  for (const [request, times] of tally.wordless) console.log(`503 × ${times}, without a text: ${request}`);
  const memory = await server.memory();
  console.log(
    `${count} requests with the seed ${seed}: ${tally.summary()}; slowest ${Math.round(tally.slowestMs)} ms, ${tally.slowest}`,
  );
  console.log(`peak memory ${Math.round((memory?.peak ?? 0) / 1_048_576)} MB`);
  const ended = server.ended === undefined ? [] : [`the server ended with ${server.ended}`];
  const vague = [...tally.refusals.keys()].filter((reason) => !NAMES_SHARE.test(reason));
  return [...ended, ...vague.map((reason) => `a 503 does not name the share in use: ${reason}`), ...tally.faults];
}

async function sendOne(
  client: HttpClient,
  tally: Tally,
  request: ArbitraryRequest,
  token = '',
  id: string,
): Promise<void> {
  const target = targetOf(request, id);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...request.headers };
  const startedAt = performance.now();
  tally.sent += 1;
  try {
    const answer = await client.send(request.method, target, request.body, headers);
    tally.take(request.method, target, answer, performance.now() - startedAt);
  } catch (error) {
    tally.count(0);
    tally.fault(`${request.method} ${target}: ${String(error)}`);
  }
}

/** Stores a memory that requests may name, and returns its id. */
async function stored(client: HttpClient, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await client.send('POST', '/api/memories', JSON.stringify({ content: 'a' }), headers);
  return String(answer.body.id);
}
