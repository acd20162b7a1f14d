import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../testing/processes/chromium.js';
import { builtPackage } from '../../testing/processes/server-process.js';
import { loadBatches } from '../alone.js';
import type { Corpus } from '../corpus.js';
import { printTable } from '../table.js';
import type { Truth } from '../truth.js';
import { World } from '../world.js';
import { measureFirstLoad } from './first-load.js';
import { measureInteractions } from './interactions.js';
import { measurePages } from './pages.js';
import { measureScrolling } from './scrolling.js';

interface DashboardOptions {
  size: number;
  corpus: Corpus;
  truth: Truth;
}

/**
 * Measures the pages of the built server in Chromium, with `size` memories in one organization.
 *
 * @throws {Error} without Chromium
 */
export async function benchDashboard(folder: string, { size, corpus, truth }: DashboardOptions): Promise<void> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium to measure with: install chromium');
  const world = await World.start(builtPackage('server'), folder, 1);
  try {
    await loadBatches(world, corpus, truth, size);
    const browser = await chromium.launch({ executablePath });
    try {
      const { context, page } = await signedIn(browser, world);
      const organization = `/o/${world.organizationIds[0]}`;
      printTable(
        `the dashboard, ${size} memories`,
        [
          ...(await measureFirstLoad(browser, world.server.url)),
          ...(await measureInteractions(page, organization)),
          ...(await measurePages(context, world, size)),
          ...(await measureScrolling(page, organization)),
        ],
        [],
      );
    } finally {
      await browser.close();
    }
  } finally {
    await world.stop();
  }
}

async function signedIn(browser: Browser, world: World): Promise<{ context: BrowserContext; page: Page }> {
  const created = (await world.client(0).ok('POST', '/api/session/links')) as { link: string };
  const context = await browser.newContext({ baseURL: world.server.url, viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(created.link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return { context, page };
}
