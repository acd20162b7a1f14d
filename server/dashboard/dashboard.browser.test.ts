import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { person } from '../testing/app/sign-in.js';
import { type TestApp, testApp } from '../testing/app/test-app.js';
import { accessibilityFaults } from './testing/accessibility.js';
import { describeInBrowser, PASSWORD } from './testing/describe-in-browser.js';
import { takeScreenshots } from './testing/screenshots.js';

const NOT_SIGNED_IN = ['401 GET /api/session'];

describeInBrowser('the sign-in page', (open) => {
  test('signs in and comes back to the page that was asked for', async () => {
    const app = await testApp();
    const { email } = await person(app, 'member');
    const path = `/o/${app.organizationId}/overview?from=link`;
    const { page } = await open(app, { path, expected: NOT_SIGNED_IN });

    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await takeScreenshots(page, 'sign-in');
    expect(await accessibilityFaults(page)).toEqual([]);
    await fillIn(page, email, PASSWORD);

    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`http://127.0.0.1:${app.port}${path}`);
  });

  test('says that the password is wrong, with the id of the request', async () => {
    const app = await testApp();
    const { page } = await open(app, { path: '/sign-in', expected: ['401 POST /api/session'] });

    await fillIn(page, 'nobody@example.test', 'not the password at all');

    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/unauthenticated.*Request/);
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});

describeInBrowser('the overview', (open) => {
  test('shows totals and usage to an owner, without faults for assistive technology', async () => {
    const app = await testApp();
    await store(app);
    const { page } = await open(app, { as: 'owner' });

    await page.getByText('active memories').waitFor();
    await page.getByText('Searches in this period').waitFor();

    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'overview-full');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('offers a key to readers while nothing is stored', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'readonly' });

    await page.getByText('Nothing is stored yet').waitFor();

    await takeScreenshots(page, 'overview-empty');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('counts down when the rate limit refuses a read, and reads again by itself', async () => {
    const app = await testApp();
    const { page } = await open(app, { path: '/sign-in', expected: ['429 GET /api/organization/usage'], as: 'owner' });
    let refusals = 1;
    await page.route('**/api/organization/usage', (route) => {
      if (refusals-- <= 0) return route.continue();
      const body = JSON.stringify({ error: 'Too many requests', code: 'rate_limited' });
      return route.fulfill({ status: 429, headers: { 'Retry-After': '2', 'X-Request-Id': 'asked-too-often' }, body });
    });

    await page.goto('/');
    await page.getByText('Too many requests in this minute').waitFor();
    await takeScreenshots(page, 'overview-limited');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByText('Searches in this period').waitFor();
  });

  test('says what failed with the id of the request, and reads again on demand, when there is a network', async () => {
    const app = await testApp();
    const { page } = await open(app, { path: '/sign-in', expected: ['500 GET /api/organization/usage'], as: 'owner' });
    await page.route('**/api/organization/usage', (route) => {
      const body = JSON.stringify({ error: 'Internal error', code: 'internal_error', requestId: 'broken-1' });
      return route.fulfill({ status: 500, headers: { 'X-Request-Id': 'broken-1' }, body });
    });

    await page.goto('/');
    await page.getByText('broken-1').waitFor();
    await takeScreenshots(page, 'overview-failing');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.unroute('**/api/organization/usage');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('There is no network connection').waitFor();
    await page.context().setOffline(false);
    await page.getByText('Searches in this period').waitFor();
  });
});

describeInBrowser('the shell', (open) => {
  test('opens pages and dialogs by keyboard', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'owner', path: '/o/:organization/overview' });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'shortcuts');
    await page.keyboard.press('Escape');

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('over');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'palette');
    await page.keyboard.press('Enter');
    await expectGone(page, 'dialog');
  });

  test('says that the script of a page did not arrive, and loads the page again on demand', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'owner', path: '/o/:organization/overview' });
    await page.getByText('Searches in this period').waitFor();
    await page.route('**/assets/usage-page-*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: '}' }),
    );

    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await page.getByRole('heading', { name: 'The page could not be loaded' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'unloaded');
    await page.unroute('**/assets/usage-page-*.js');
    await page.getByRole('button', { name: 'Try again' }).click();

    await page.getByRole('heading', { name: 'By day' }).waitFor();
  });

  test('signs out, and nothing of the account stays', async () => {
    const app = await testApp();
    const { page, email = '' } = await open(app, { as: 'owner', expected: NOT_SIGNED_IN });
    await page.getByRole('button', { name: `Account of ${email}` }).click();
    await takeScreenshots(page, 'account-menu');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();

    expect(await page.evaluate(() => ({ ...sessionStorage }))).toEqual({});
    await page.goto(`/o/${app.organizationId}/overview`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByText(email).count()).toBe(0);
  });
});

async function fillIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function expectGone(page: Page, role: 'dialog'): Promise<void> {
  await page.getByRole(role).waitFor({ state: 'detached' });
}

async function store(app: TestApp): Promise<void> {
  const texts = [
    'Deploys run on Fridays at noon.',
    'Ana prefers morning meetings.',
    'The queue drains in two minutes.',
  ];
  for (const [at, content] of texts.entries()) {
    const metadata = { source: at === 0 ? 'wiki' : 'chat', kind: 'note' };
    await app.send('POST', '/api/memories', { content, metadata });
  }
}
