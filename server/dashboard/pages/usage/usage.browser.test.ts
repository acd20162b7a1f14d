import { expect, test } from 'vitest';
import { PortalUnavailableError } from '../../../ports/customer-portal.js';
import { testApp } from '../../../testing/app/test-app.js';
import { capped, OPEN_PORTAL, SMALL_PRICE, subscribe } from '../../../testing/fixtures/subscriptions.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

const PATH = '/o/:organization/usage';

describeInBrowser('the usage page', (open) => {
  test('shows the usage against the caps, the subscription and the days', async () => {
    const billing = capped({ ingestPerMonth: 20, searchPerMonth: 1_000, storageBytes: 5_000_000 });
    const app = await testApp({ billing, customerPortal: OPEN_PORTAL });
    await subscribe(app.deps, app.organizationId, { priceIds: [SMALL_PRICE], customerId: 'cus_1' });
    for (const content of ['Deploys run on Fridays.', 'Ana owns the API.', 'Deploys run on Fridays.']) {
      await app.send('POST', '/api/memories', { content });
    }
    await app.send('POST', '/api/memories/search', { query: 'deploys' });
    const { page } = await open(app, { as: 'owner', path: PATH });

    await page.getByText('2 of 20').waitFor();
    await page.getByText('Writes allowed').waitFor();
    await page.getByText('Small', { exact: true }).waitFor();
    await page.getByRole('img', { name: /^Writes by day/ }).waitFor();
    await takeScreenshots(page, 'usage');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByLabel('Days').selectOption('7');
    await page.getByText('Numbers').first().press('Enter');
    await expect.poll(() => page.getByRole('row').count()).toBe(8);
    expect(new URL(page.url()).searchParams.get('days')).toBe('7');
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  });

  test('leaves for the portal of the billing provider', async () => {
    const app = await testApp({ customerPortal: { open: async () => '/sign-in' } });
    await subscribe(app.deps, app.organizationId, { customerId: 'cus_1' });
    const { page } = await open(app, { as: 'owner', path: PATH });

    await page.getByRole('button', { name: 'Manage billing' }).press('Enter');

    await page.waitForURL(/sign-in/);
  });

  test('says why there is no link to the portal', async () => {
    const portal = { open: () => Promise.reject(new PortalUnavailableError('down')) };
    const app = await testApp({ customerPortal: portal });
    await subscribe(app.deps, app.organizationId, { customerId: 'cus_1' });
    const expected = ['503 POST /api/organization/subscription/portal-links'];
    const { page } = await open(app, { as: 'owner', path: PATH, expected });

    await page.getByRole('button', { name: 'Manage billing' }).click();

    await page.getByText('The billing provider cannot make a link now').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('shows a failure with the id of its request, and reads again', async () => {
    const app = await testApp();
    const path = '/api/organization/usage/days';
    const { page } = await open(app, { as: 'owner', expected: [`500 GET ${path}`] });
    await page.route(`**${path}*`, (route) =>
      route.fulfill({
        status: 500,
        headers: { 'X-Request-Id': 'req-42' },
        json: { error: 'Internal server error', code: 'internal_error' },
      }),
    );
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('req-42').waitFor();
    await page.unroute(`**${path}*`);
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.getByRole('heading', { name: 'No usage in these days' }).waitFor();
    await page.getByText('This deployment needs none.').waitFor();
    expect(await page.getByRole('button', { name: 'Manage billing' }).count()).toBe(0);
    await takeScreenshots(page, 'usage-empty');
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
