import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import type { Row } from '../table.js';

/** Loads of the list, each from a cold page. */
const LOADS = 5;
const ROWS = 20_000;
const WHEEL_PIXELS = 6_000;
/** Guards against a list that stops. */
const MAX_SCROLLING_MS = 180_000;
const MEGABYTE = 1_000_000;

/** Long enough for a load, so that nothing else runs in the page until its rows are painted. */
const LOADING_MS = 3_000;

/** Records when the first row is painted, in milliseconds since the navigation began. */
const RECORD_FIRST_ROWS = `new MutationObserver((_, observer) => {
  if (!document.querySelector('a[data-id]')) return;
  observer.disconnect();
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { globalThis.firstRowsMs = performance.now(); };
    port2.postMessage(undefined);
  });
}).observe(document, { childList: true, subtree: true });`;
const RECORD_TASKS = `globalThis.longTasks = [];
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) globalThis.longTasks.push(Math.round(duration));
}).observe({ type: 'longtask' });`;
/** The position in the list of the last row that the page has. */
const LAST_ROW = `Math.max(0, ...Array.from(document.querySelectorAll('[aria-posinset]'), (row) => Number(row.ariaPosInSet)))`;

/** Opens the list of memories and scrolls through the first 20,000 rows. */
export async function measureScrolling(page: Page, organization: string): Promise<Row[]> {
  const first: number[] = [];
  for (let load = 0; load < LOADS; load += 1) first.push(await firstRows(page, organization));
  const painted = await firstPaints(page.context(), organization);

  const devTools = await page.context().newCDPSession(page);
  await page.evaluate(RECORD_TASKS);
  await page.locator('a[data-id]').first().hover();
  const startedAt = performance.now();
  let rows = 0;
  while (rows < ROWS && performance.now() - startedAt < MAX_SCROLLING_MS) {
    await page.mouse.wheel(0, WHEEL_PIXELS);
    rows = await page.evaluate<number>(LAST_ROW);
  }
  const tasks = await page.evaluate<number[]>('globalThis.longTasks');
  const nodes = await page.evaluate<number>("document.querySelectorAll('*').length");
  const heap = await heapBytes(devTools);
  return [
    { what: 'first rows, after the page is opened', value: `${first.map(Math.round).join(', ')} ms` },
    { what: 'the same by the clock of the page, without the program that watches', value: `${painted.join(', ')} ms` },
    {
      what: `scrolling through ${rows} rows`,
      value: `${tasks.length} tasks over 50 ms${tasks.length > 0 ? `, the longest ${Math.max(...tasks)} ms` : ''}; ${nodes} nodes; heap ${(heap / MEGABYTE).toFixed(1)} MB`,
    },
  ];
}

async function firstRows(page: Page, organization: string): Promise<number> {
  await page.goto('about:blank');
  const startedAt = performance.now();
  await page.goto(`${organization}/memories`);
  await page.locator('a[data-id]').first().waitFor();
  return performance.now() - startedAt;
}

/** Opens the list without a word to the page, whose scripts would wait while it answers. */
async function firstPaints(context: BrowserContext, organization: string): Promise<number[]> {
  const page = await context.newPage();
  await page.addInitScript(RECORD_FIRST_ROWS);
  const times: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    await page.goto('about:blank');
    await page.goto(`${organization}/memories`, { waitUntil: 'commit' });
    await page.waitForTimeout(LOADING_MS);
    const time = await page.evaluate<number | undefined>('globalThis.firstRowsMs');
    if (time === undefined) throw new Error(`no row was painted within ${LOADING_MS} ms`);
    times.push(Math.round(time));
  }
  await page.close();
  return times;
}

async function heapBytes(devTools: CDPSession): Promise<number> {
  await devTools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devTools.send('Runtime.getHeapUsage');
  return usedSize;
}
