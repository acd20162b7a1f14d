import { expect, test } from 'vitest';
import { testApp } from '../../../testing/app/test-app.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

const PATH = '/o/:organization/reference';

describeInBrowser('the API reference', (open) => {
  test('finds an operation by words and shows it, by keyboard alone', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'readonly', path: PATH });
    await page.getByRole('heading', { name: 'Memory Service' }).waitFor();
    await takeScreenshots(page, 'reference');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.keyboard.press('/');
    await page.keyboard.type('closest query');
    const links = page.getByRole('navigation', { name: 'Operations' }).getByRole('link');
    expect(await links.count()).toBeGreaterThan(0);
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=closest/);
    await page.getByRole('link', { name: 'Find the memories closest in meaning to a query' }).press('Enter');

    await page.waitForURL(/\/reference\/searchMemories\?q=closest/);
    const article = page.getByRole('article', { name: 'Find the memories closest in meaning to a query' });
    await article.getByText('memory:search', { exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
    await article.getByText('Members of filter').press('Enter');
    await article.getByText('agentId', { exact: true }).waitFor();
    expect(await article.getByText('invalid_json').count()).toBe(0);
    await article.getByText('Example: ', { exact: false }).first().click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'reference-operation');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('opens a deep link, and walks through the list', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'member', path: `${PATH}/ingestMemory` });
    await page.getByRole('heading', { name: 'Store a memory', exact: false }).waitFor();
    const reads: string[] = [];
    page.on('request', (request) => {
      if (/openapi|\/api\//.test(request.url())) reads.push(request.url());
    });

    await page.keyboard.press('j');
    await page.waitForURL(/reference\/upsertMemory$/);
    await page.getByText('201', { exact: true }).first().click();
    await takeScreenshots(page, 'reference-answer');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Memory Service' }).waitFor();
    expect(reads).toEqual([]);

    await page.goto(`${PATH.replace(':organization', app.organizationId)}/other`);
    await page.getByText('No such operation').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('has no wider content than a phone, and says that nothing matches', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'member', path: `${PATH}/listMemoryChanges` });
    await page.getByRole('article').waitFor();
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    await page.getByRole('link', { name: 'All operations' }).click();

    await page.getByLabel('Find an operation').fill('no such words');
    await page.getByText('No operation matches').waitFor();
    await takeScreenshots(page, 'reference-none');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show all operations' }).click();
    await page.getByRole('link', { name: /List changes since a time/ }).waitFor();
  });

  test('says that the contract did not arrive, and reads it again', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'member', path: '/sign-in', expected: ['500 GET /openapi.json'] });
    await page.route('**/openapi.json', (route) =>
      route.fulfill({ status: 500, headers: { 'X-Request-Id': 'broken-1' }, body: '{}' }),
    );
    await page.goto(PATH.replace(':organization', app.organizationId));
    await page.getByText('broken-1').waitFor();
    await takeScreenshots(page, 'reference-failing');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.unroute('**/openapi.json');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Memory Service' }).waitFor();
  });
});
