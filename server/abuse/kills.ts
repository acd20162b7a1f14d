import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { randomFrom } from '../durability/crashes.js';
import { type Answer, HttpClient } from '../testing/app/http-client.js';
import type { Place } from '../testing/processes/found-organizations.js';
import { builtPackage, type ServerProcess } from '../testing/processes/server-process.js';
import { Ledger } from './ledger.js';
import { found, start, UNLIMITED } from './target.js';

const WRITERS = 8;
const MIN_UPTIME_MS = 50;
const MAX_UPTIME_MS = 1_500;
/** A writer deletes one of this many memories again. */
const DELETED_ONE_IN = 4;
const NOTHING = { written: 0, deleted: 0 };

/** Kills a server repeatedly while it writes. Returns the acknowledged writes that it lost, and reported damage. */
export async function runKills(count: number, seed: number): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-service-kills-'));
  try {
    const [places = []] = await found(folder, [WRITERS]);
    const ledgers = places.map(() => new Ledger());
    const random = randomFrom(seed);
    let slowestStartMs = 0;
    for (let kill = 0; kill < count; kill += 1) {
      const startedAt = performance.now();
      const server = await start(folder, UNLIMITED);
      slowestStartMs = Math.max(slowestStartMs, performance.now() - startedAt);
      const writing = places.map((place, n) => write(server, place, ledgers[n] as Ledger));
      await sleep(MIN_UPTIME_MS + random() * (MAX_UPTIME_MS - MIN_UPTIME_MS));
      await server.stop('SIGKILL');
      await Promise.all(writing);
    }
    const faults = await compare(folder, places, ledgers);
    const total = ledgers.reduce(
      ({ written, deleted }, ledger) => ({ written: written + ledger.written, deleted: deleted + ledger.deleted }),
      NOTHING,
    );
    console.log(
      `${count} kills with the seed ${seed}: ${total.written} acknowledged writes, ${total.deleted} of them deleted`,
    );
    console.log(`${faults.length} faults; the slowest start took ${Math.round(slowestStartMs)} ms`);
    return faults;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes and deletes one after the other until the server is killed. */
async function write(server: ServerProcess, { token }: Place, ledger: Ledger): Promise<void> {
  const client = clientOf(server, token);
  try {
    for (let n = 0; ; n += 1) {
      const content = ledger.nextContent();
      const { status, body } = await client.ask('POST', '/api/memories', { content });
      if (status !== 201) throw new Error(`a write was answered with ${status}`);
      const id = String(body.id);
      ledger.wrote(id, content);
      if (n % DELETED_ONE_IN !== 0) continue;
      ledger.deletes(id);
      const gone = await client.ask('DELETE', `/api/memories/${id}`);
      if (gone.status === 204) ledger.isDeleted(id);
    }
  } catch (error) {
    if (server.ended === undefined && !isCut(error)) ledger.faults.push(String(error));
  } finally {
    client.close();
  }
}

async function compare(folder: string, places: readonly Place[], ledgers: readonly Ledger[]): Promise<string[]> {
  const server = await start(folder, UNLIMITED);
  const faults: string[] = [];
  for (const [n, { token }] of places.entries()) {
    const client = clientOf(server, token);
    const stored = new Map<string, string>();
    for (let cursor = ''; ; ) {
      const page = await client.ask('GET', `/api/memories/export?limit=500${cursor}`);
      for (const line of page.text.split('\n').filter((each) => each !== '')) {
        const { id, content } = JSON.parse(line) as { id: string; content: string };
        stored.set(id, content);
      }
      const next = page.headers['x-next-cursor'];
      if (typeof next !== 'string' || next === '') break;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
    client.close();
    faults.push(...(ledgers[n]?.compare(stored) ?? []));
  }
  const code = await server.stop('SIGTERM');
  if (code !== 0) faults.push(`after a request to stop, the server ended with ${code}`);
  return [...faults, ...(await damage(join(folder, 'data')))];
}

/** Returns the report of `memory-server check` on the whole folder. */
async function damage(dataDir: string): Promise<string[]> {
  const main = join(builtPackage('server'), 'main.cjs');
  try {
    await promisify(execFile)(process.execPath, [main, 'check'], {
      env: { ...process.env, SERVICE_DATA_DIR: dataDir },
    });
    return [];
  } catch (error) {
    return [`memory-server check: ${String(error)}`];
  }
}

function clientOf(server: ServerProcess, token: string) {
  const client = new HttpClient(Number(new URL(server.url).port));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    ask: (method: string, path: string, body?: object): Promise<Answer> =>
      client.send(method, path, body && JSON.stringify(body), headers),
    close: () => client.close(),
  };
}

/** The connection broke with the server. This process may notice that before the end of the server. */
function isCut(error: unknown): boolean {
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');
}
