import { inBatches } from './alone.js';
import { runConcurrently } from './concurrent.js';
import type { Row } from './table.js';
import { timeEach } from './timing.js';
import type { World } from './world.js';

const PAGE = 500;
const BATCH = 50;
/** Maximum number of memories that are sent once more. */
const REPLAYS = 5_000;
/** Batches before those that are measured. */
const WARM_UP_BATCHES = 30;
/** Calls for one latency. */
const PAGES = 60;
const WARM_UP_PAGES = 20;
/** Earlier than every memory. */
const BEGINNING = '2020-01-01T00:00:00Z';

/** Measures what reads or repeats many memories: an export, replays, and pages of the change feed at its start and end. */
export async function measureBulk(world: World, clients: number): Promise<Row[]> {
  return [await measureExport(world), await measureReplays(world, clients), ...(await measureChanges(world))];
}

/** Measures one client that exports all memories of the first organization. It parses nothing. */
async function measureExport(world: World): Promise<Row> {
  await readPages(world, WARM_UP_PAGES);
  await world.loopDelay();
  const start = performance.now();
  const total = await readPages(world, Number.POSITIVE_INFINITY);
  const ms = performance.now() - start;
  const { p99, max } = await world.loopDelay();
  const late = `event loop late p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms`;
  return { what: `export, pages of ${PAGE}`, value: `${(total / ms / 1_000).toFixed(1)} MB/s, ${late}` };
}

/** Exports at most `pages` pages, and returns their bytes. */
async function readPages(world: World, pages: number): Promise<number> {
  let total = 0;
  let cursor: string | undefined = '';
  for (let page = 0; page < pages && cursor !== undefined; page += 1) {
    const read = await world.client(0).download(withCursor(`/api/memories/export?limit=${PAGE}`, cursor));
    total += read.bytes;
    cursor = read.cursor;
  }
  return total;
}

/** Measures several clients that send batches of memories that are all stored. */
async function measureReplays(world: World, clients: number): Promise<Row> {
  const items = world.stored.slice(0, REPLAYS).map((item, n) => ({ item, n }));
  const batches = Array.from({ length: world.organizations }, (_, org) => {
    const own = items.filter(({ n }) => n % world.organizations === org).map(({ item }) => item);
    return inBatches(own, BATCH).map((batch) => ({ org, batch }));
  }).flat();
  const send = ({ org, batch }: (typeof batches)[number]) =>
    world.client(org).ok('POST', '/api/memories/batch', { items: batch });
  await runConcurrently(clients, batches.slice(0, WARM_UP_BATCHES), send);
  const { perSecond } = await runConcurrently(clients, batches, send);
  const rate = (perSecond * items.length) / batches.length;
  return { what: `batches of exact replays, ${clients} clients`, value: `${Math.round(rate)} memories/s` };
}

/** Measures the first and the last full page of the change feed. */
async function measureChanges(world: World): Promise<Row[]> {
  const path = `/api/memories/changes?since=${BEGINNING}&limit=${PAGE}`;
  const cursors = [''];
  for (;;) {
    const { meta, nextCursor } = (await world.client(0).ok('GET', withCursor(path, cursors.at(-1) ?? ''))) as {
      meta: { hasMore: boolean };
      nextCursor: string;
    };
    if (!meta.hasMore) break;
    cursors.push(nextCursor);
  }
  const last = cursors.at(cursors.length > 1 ? -2 : -1) ?? '';
  const rows: Row[] = [];
  for (const [what, cursor] of [
    ['first', ''],
    ['last full', last],
  ] as const) {
    const calls = Array.from({ length: PAGES }, () => withCursor(path, cursor));
    const latency = await timeEach(calls, (call) => world.client(0).download(call), WARM_UP_PAGES);
    rows.push({ what: `changes, ${what} page of ${PAGE}`, latency });
  }
  return rows;
}

function withCursor(path: string, cursor: string): string {
  return cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
}
