import { v7 } from 'uuid';
import type { Row } from './table.js';
import { summarize } from './timing.js';
import type { World } from './world.js';

const PAIRS = 5_000;
const WARM_UP = 500;
const MICROSECONDS = 1_000;

/**
 * Tests if response times reveal that an id exists in another organization. Requests foreign and unknown ids in pairs,
 * and changes the order from pair to pair.
 */
export async function measureSecrecy(world: World): Promise<Row> {
  const found = await world.client(0).ok('GET', '/api/memories/recent?limit=50');
  const ids = (found as { results: { id: string }[] }).results.map(({ id }) => id);
  const foreign: number[] = [];
  const unknown: number[] = [];
  for (let pair = 0; pair < WARM_UP + PAIRS; pair += 1) {
    const asked = [
      { id: ids[pair % ids.length] ?? '', times: foreign },
      { id: v7(), times: unknown },
    ];
    for (const { id, times } of pair % 2 === 0 ? asked : asked.reverse()) {
      const start = performance.now();
      const { status } = await world.stranger.send('GET', `/api/memories/${id}`);
      if (status !== 404) throw new Error(`a stranger's request was answered with ${status}`);
      if (pair >= WARM_UP) times.push(performance.now() - start);
    }
  }
  const [there, nowhere] = [summarize(foreign), summarize(unknown)];
  const difference = Math.abs(there.p50 - nowhere.p50) * MICROSECONDS;
  return {
    what: `a foreign id beside an unknown one, ${PAIRS} pairs`,
    value: `medians ${(there.p50 * MICROSECONDS).toFixed(0)} and ${(nowhere.p50 * MICROSECONDS).toFixed(0)} µs, ${difference.toFixed(0)} µs apart`,
  };
}
