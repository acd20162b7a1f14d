import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { testApp } from '../testing/app/test-app.js';
import { accessibilityFaults } from './testing/accessibility.js';
import { describeInBrowser } from './testing/describe-in-browser.js';
import { takeScreenshots } from './testing/screenshots.js';

/** Content that must never act: as markup, as a script, or on the text around it. */
const HOSTILE = [
  '<script>document.title = "taken over"</script><img src="https://elsewhere.test/x" onerror="alert(1)">',
  'safe\u202egnp.exe \u2066isolated \u200f\u05e9\u05dc\u05d5\u05dd',
  '__proto__ constructor {{7*7}} javascript:alert(1)',
  'x'.repeat(20_000),
];

describeInBrowser('every page of the navigation', (open) => {
  // The harness fails the test if an answer is a refusal, or if the policy of the page is violated.
  test.each(['owner', 'member', 'readonly'] as const)('meets no refusal and no fault as %s', async (role) => {
    const app = await testApp();
    for (const content of HOSTILE) {
      const metadata = { source: content.slice(0, 200), kind: 'note', title: content.slice(0, 200) };
      await app.send('POST', '/api/memories', { content, metadata });
    }
    const { page } = await open(app, { as: role });

    for (const title of await pageTitles(page)) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
      const loading = page.getByRole('status').filter({ hasText: 'Loading' });
      await expect.poll(() => loading.count(), { timeout: 30_000 }).toBe(0);
      await takeScreenshots(page, `crawl-${role}-${title.toLowerCase().replaceAll(' ', '-')}`);

      expect(await accessibilityFaults(page), title).toEqual([]);
      expect(await isWiderThanScreen(page), `${title} at 1280 pixels`).toBe(false);
      await page.setViewportSize({ width: 375, height: 740 });
      expect(await isWiderThanScreen(page), `${title} at 375 pixels`).toBe(false);
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });
});

async function pageTitles(page: Page): Promise<string[]> {
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  await links.first().waitFor();
  return links.allTextContents();
}

async function isWiderThanScreen(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}
