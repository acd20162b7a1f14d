import type { BrowserContext } from 'playwright-core';
import type { Row } from '../table.js';
import { timeEach } from '../timing.js';
import type { World } from '../world.js';

/** Reads of one page. */
const ROUNDS = 100;
const WARM_UP = 20;
const PAGE_SIZE = 100;
/** Characters of each content, as the list of the dashboard asks for them. */
const PREVIEW = 200;
const KILOBYTE = 1_000;

/** Reads pages of the list at several depths with the session of the browser. */
export async function measurePages(context: BrowserContext, world: World, size: number): Promise<Row[]> {
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const headers = { cookie, 'X-Organization-Id': world.organizationIds[0] ?? '' };
  let largest = 0;
  const read = async (cursor: string | undefined): Promise<string | undefined> => {
    const query = new URLSearchParams({ limit: `${PAGE_SIZE}`, preview: `${PREVIEW}`, ...(cursor && { cursor }) });
    const answer = await fetch(`${world.server.url}/api/organization/memories?${query}`, { headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`a page of the list was answered with ${answer.status}: ${text}`);
    largest = Math.max(largest, text.length);
    return (JSON.parse(text) as { nextCursor?: string }).nextCursor;
  };

  const last = Math.floor(size / PAGE_SIZE) - 1;
  const depths = new Set([0, Math.floor(last / 2), last]);
  const rows: Row[] = [];
  let cursor: string | undefined;
  for (let depth = 0; depth <= last; depth += 1) {
    const here = cursor;
    if (depths.has(depth)) {
      const latency = await timeEach(Array.from({ length: ROUNDS + WARM_UP }), () => read(here), WARM_UP);
      rows.push({ what: `list of memories, page ${depth + 1} of ${PAGE_SIZE} each`, latency });
    }
    cursor = await read(here);
  }
  rows.push({ what: 'largest page', value: `${Math.round(largest / KILOBYTE)} kB` });
  return rows;
}
