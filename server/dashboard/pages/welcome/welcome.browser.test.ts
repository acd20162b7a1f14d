import { expect, test } from 'vitest';
import { issueLink } from '../../../services/access/sign-in-links.js';
import { person } from '../../../testing/app/sign-in.js';
import { type TestApp, testApp } from '../../../testing/app/test-app.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

describeInBrowser('the welcome page', (open) => {
  test('names the account and signs in at a click; the code leaves the address at once', async () => {
    const app = await testApp();
    const { email, path } = await linkOf(app, false);
    const { page } = await open(app, { path });

    await page.getByText(email).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'welcome');
    await page.getByRole('button', { name: 'Sign in' }).click();

    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  test('sets a password in place of a forgotten one, if the link allows that', async () => {
    const app = await testApp();
    const { path, email } = await linkOf(app, true);
    const before = await app.deps.store.accounts.findUserByEmail(email);
    const { page } = await open(app, { path });

    await page.getByRole('button', { name: 'Set a password' }).click();
    await page.getByLabel('New password').fill('another long and secret phrase');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'welcome-password');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const after = await app.deps.store.accounts.findUserByEmail(email);
    expect(after?.passwordHash).not.toBe(before?.passwordHash);
  });

  test('says that a used link does not work', async () => {
    const app = await testApp();
    const { page } = await open(app, {
      path: `/welcome#${'a'.repeat(43)}`,
      expected: ['404 POST /api/session/links/preview'],
    });

    await page.getByText('The link does not work').waitFor();

    expect(await accessibilityFaults(page)).toEqual([]);
  });
});

/** Makes a member and a link for them. */
async function linkOf(app: TestApp, setsPassword: boolean): Promise<{ email: string; path: string }> {
  const { userId, email } = await person(app, 'member');
  const operator = { actor: { type: 'system', id: 'test' }, source: 'operator' } as const;
  const { link } = await issueLink(app.deps, operator, { userId, publicUrl: undefined, setsPassword });
  return { email, path: link };
}
