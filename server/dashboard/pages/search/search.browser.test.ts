import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type TestApp, testApp } from '../../../testing/app/test-app.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

const PATH = '/o/:organization/search';
const LONG = 'w'.repeat(300);
const HOSTILE = `<img src=x onerror=alert(1)> deploy \u202Egnp.exe ${LONG}`;

describeInBrowser('the search page', (open) => {
  test('runs by keyboard alone, marks words, and keeps the settings in the address', async () => {
    const app = await stored();
    const { page } = await open(app, { as: 'readonly', path: PATH });
    await page.getByText('Search in plain words').waitFor();
    await takeScreenshots(page, 'search-empty');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.keyboard.press('/');
    await page.keyboard.type('when do deploys run');
    expect(await page.getByRole('listitem').filter({ hasText: 'Score' }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByText(/^\d+ results in \d+ ms/).waitFor();

    expect(await page.locator('mark', { hasText: 'Deploys' }).count()).toBeGreaterThan(0);
    expect(await page.getByText(HOSTILE.slice(0, 28)).count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('q')).toBe('when do deploys run');
    await page.locator('h1').focus();
    await page.keyboard.press('j');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Open result 1');
    await takeScreenshots(page, 'search-results');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  });

  test('shows how the score is made, and compares a pinned run with the next', async () => {
    const app = await stored();
    const { page } = await open(app, {
      as: 'owner',
      path: `${PATH}?q=deploys+on+friday&mode=hybrid&recencyWeight=0.2`,
    });
    await page.getByRole('button', { name: 'Search for “deploys on friday”' }).click();
    const first = page.getByRole('listitem').filter({ hasText: 'Score' }).first();
    await first.waitFor();
    const [score = 0, ...parts] = Array.from((await first.innerText()).matchAll(/\d\.\d{3}/g), Number);
    expect(parts).toHaveLength(3);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 2);
    await takeScreenshots(page, 'search-hybrid');

    await page.getByRole('button', { name: 'Pin this run' }).click();
    await page.getByLabel('Mode').selectOption('keyword');
    await page.getByLabel('Query').press('Enter');
    await page.getByRole('region', { name: 'This run' }).waitFor();
    await page.getByRole('region', { name: 'Pinned run' }).getByText('gone').first().waitFor();
    await takeScreenshots(page, 'search-compare');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Unpin' }).click();
    await page.getByRole('region', { name: 'Pinned run' }).waitFor({ state: 'detached' });
  });

  test('filters, and shows the same search as code', async () => {
    const app = await stored();
    const { page } = await open(app, { as: 'member', path: `${PATH}?q=deploy` });
    await page.locator('summary', { hasText: 'Settings' }).click();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.keyboard.type('source');
    await page.getByLabel('Value of condition 1').fill('wiki');
    await page.getByRole('slider', { name: 'Results' }).press('ArrowLeft');
    await page.waitForURL((url) => url.searchParams.get('limit') === '9');
    expect(new URL(page.url()).searchParams.get('filter')).toBe('{"source":"wiki"}');
    await takeScreenshots(page, 'search-settings');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByLabel('Query').press('Enter');
    await page.getByText(/^1 result in/).waitFor();
    await page.getByRole('tab', { name: 'Code' }).click();
    await page.getByText('memory search --limit=9 --source=wiki deploy').waitFor();
    await takeScreenshots(page, 'search-code');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('ArrowLeft');
    await page.getByText('"limit": 9').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('says that nothing matches, and widens the search', async () => {
    const app = await stored();
    const { page } = await open(app, { as: 'member', path: `${PATH}?q=deploy&filter={"source":"nowhere"}` });
    await search(page);

    await page.getByText('No memory matches').waitFor();
    await takeScreenshots(page, 'search-none');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Search without filter and minimum' }).click();

    await page.getByText(/^\d+ results in/).waitFor();
  });

  test('tells why a search failed, and how many are left', async () => {
    const app = await stored();
    const { page } = await open(app, {
      as: 'owner',
      path: '/sign-in',
      expected: ['429 POST /api/memories/search'],
    });
    await page.route('**/api/organization/usage', async (route) => {
      const answer = await route.fetch();
      const usage = await answer.json();
      await route.fulfill({ response: answer, json: { ...usage, search: { used: 4000, cap: 5000 } } });
    });
    await page.route('**/api/memories/search', (route) => {
      const body = JSON.stringify({ error: 'The monthly cap is reached', code: 'quota_exceeded' });
      return route.fulfill({ status: 429, headers: { 'X-Request-Id': 'over-1' }, body });
    });
    await page.goto(`${PATH.replace(':organization', app.organizationId)}?q=deploy`);
    await page.getByText('1,000 of 5,000 searches left this month.').waitFor();
    await search(page);

    await page.getByText('over-1').waitFor();
    await takeScreenshots(page, 'search-failing');
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});

async function search(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Search', exact: true }).click();
}

async function stored(): Promise<TestApp> {
  const app = await testApp();
  const contents = [
    'Deploys run on Fridays at noon, unless the on-call engineer asks for another day.',
    'Ana prefers morning meetings.',
    'The queue drains in two minutes.',
    'A deploy that fails is rolled back by hand: see the runbook.',
    HOSTILE,
  ];
  for (const [at, content] of contents.entries()) {
    const metadata = { source: at === 0 ? 'wiki' : 'chat', kind: 'note', project: at === 4 ? LONG : 'platform' };
    await app.send('POST', '/api/memories', { content, metadata });
  }
  return app;
}
