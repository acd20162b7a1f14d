import type { Browser } from 'playwright-core';
import type { Row } from '../table.js';

const LOADS = 5;
/** How many times slower than this machine the processor of the browser is. */
const SLOWDOWNS = [1, 4];
const SETTLING_MS = 500;

/** Time of the largest paint so far in milliseconds, and the sum of all layout shifts. */
interface Painted {
  paintedMs: number;
  shift: number;
}

/** The script reads what the browser has recorded since the page began to load. */
const READ_PAINT = `new Promise((resolve) => {
  let paintedMs = 0;
  let shift = 0;
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shift += value; })
    .observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => { for (const { startTime } of list.getEntries()) paintedMs = startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  setTimeout(() => resolve({ paintedMs, shift }), 100);
})`;

/** Loads the page to sign in with an empty cache, several times for each speed of the processor. */
export async function measureFirstLoad(browser: Browser, url: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const rate of SLOWDOWNS) {
    const loads: Painted[] = [];
    for (let load = 0; load < LOADS; load += 1) loads.push(await paintOf(browser, url, rate));
    const times = loads.map(({ paintedMs }) => Math.round(paintedMs)).sort((one, other) => one - other);
    const shift = Math.max(...loads.map((each) => each.shift));
    rows.push({
      what: `first load, processor ${rate} × slower`,
      value: `largest paint after ${times.join(', ')} ms; layout shift ${shift.toFixed(3)}`,
    });
  }
  return rows;
}

async function paintOf(browser: Browser, url: string, rate: number): Promise<Painted> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    await devTools.send('Emulation.setCPUThrottlingRate', { rate });
    await page.goto(`${url}/sign-in`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.waitForTimeout(SETTLING_MS);
    return await page.evaluate<Painted>(READ_PAINT);
  } finally {
    await context.close();
  }
}
