import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const VIEWS = [
  { width: 1280, height: 800 },
  { width: 375, height: 740 },
];

/** The view that tests work in. */
export const USUAL_VIEW = VIEWS[0];

/**
 * Writes pictures of a page, wide and narrow, light and dark, into the folder that DASHBOARD_SCREENSHOTS names. Without
 * the variable it does nothing.
 */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  const folder = process.env.DASHBOARD_SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  for (const view of VIEWS) {
    await page.setViewportSize(view);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({
        path: join(folder, `${name}-${view.width}-${colorScheme}.png`),
        fullPage: true,
        animations: 'disabled',
      });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (USUAL_VIEW) await page.setViewportSize(USUAL_VIEW);
}
