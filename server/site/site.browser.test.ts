import { expect, test } from 'vitest';
import { accessibilityFaults } from '../dashboard/testing/accessibility.js';
import { describeInBrowser } from '../dashboard/testing/describe-in-browser.js';
import { takeScreenshots } from '../dashboard/testing/screenshots.js';
import { testApp } from '../testing/app/test-app.js';

const PAGES = [
  '',
  'start.html',
  'sdk.html',
  'configuration.html',
  'api.html',
  'api-memories.html',
  'architecture.html',
];
const PHONE = { width: 375, height: 740 };

describeInBrowser('the documentation', (open) => {
  test.each(PAGES)('has no accessibility fault at %s, in light and dark, and fits a phone', async (name) => {
    const { page } = await open(await testApp(), { path: `/docs/${name}` });
    await takeScreenshots(page, `docs-${name || 'index'}`);
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize(PHONE);

    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('is searched by keyboard alone', async () => {
    const { page } = await open(await testApp(), { path: '/docs' });
    expect(new URL(page.url()).pathname).toBe('/docs/');
    await page.keyboard.press('/');
    await page.keyboard.type('serve several users');
    const first = page.locator('.found a').first();
    await first.getByText('Serve several users', { exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'docs-search');

    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/sdk\.html#serve-several-users$/);
    await page.getByRole('heading', { name: 'The TypeScript client' }).waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('nothingofthekind');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Nothing found').waitFor({ state: 'hidden' });
  });

  test('says that the index did not arrive', async () => {
    const { page } = await open(await testApp(), { path: '/docs/', expected: ['404 GET /docs/assets/search.json'] });
    await page.evaluate(() => {
      document.documentElement.dataset.index = 'assets/search.json';
    });

    await page.getByRole('searchbox').fill('users');

    await page.getByText('The index did not load.', { exact: false }).waitFor();
  });

  test('copies the code of a block', async () => {
    const { page, context } = await open(await testApp(), { path: '/docs/sdk.html' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);

    await page.getByRole('button', { name: 'Copy' }).first().press('Enter');
    await page.getByText('Copied').waitFor();

    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('new MemoryClient()');
  });

  test('keeps the colours that somebody chose, on every page', async () => {
    const { page } = await open(await testApp(), { path: '/docs/' });
    await page.getByRole('button', { name: 'Light or dark colours' }).click();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');

    await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'Dashboard' }).click();
    await page.waitForURL(/dashboard\.html$/);

    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
  });

  test('lists its pages in a menu on a phone', async () => {
    const { page } = await open(await testApp(), { path: '/docs/faq.html' });
    await page.setViewportSize(PHONE);
    const pages = page.getByRole('navigation', { name: 'Pages', exact: true });
    await pages.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Menu' }).click();
    await pages.waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await pages.waitFor({ state: 'hidden' });
  });
});
