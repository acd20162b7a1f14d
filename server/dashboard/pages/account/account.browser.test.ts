import { expect, test } from 'vitest';
import { signedIn } from '../../../testing/app/sign-in.js';
import { testApp } from '../../../testing/app/test-app.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser, PASSWORD } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

describeInBrowser('the account page', (open) => {
  test('opens from the account menu, and ends another session', async () => {
    const app = await testApp();
    const { page, email = '' } = await open(app, { as: 'readonly' });
    const own = await app.deps.store.accounts.findUserByEmail(email);
    await signedIn(app, { userId: own?.id ?? '', email });

    await page.getByRole('button', { name: 'Account of' }).click();
    await page.getByRole('menuitem', { name: 'Your account' }).click();
    await page.getByText('Current', { exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'account');
    await page
      .getByRole('button', { name: /^End the session/ })
      .first()
      .click();

    await page.getByText('The session has ended').waitFor();
    await page.getByText('Current', { exact: true }).waitFor();
  });

  test('changes the password by keyboard, after saying that the current one is wrong', async () => {
    const app = await testApp();
    const path = '/o/:organization/account';
    const { page, email = '' } = await open(app, { as: 'member', path, expected: ['422 PUT /api/session/password'] });
    const before = await app.deps.store.accounts.findUserByEmail(email);

    await page.getByLabel('Current password').fill('not the password at all');
    await page.getByLabel('New password').fill('another long and secret phrase');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/currentPassword must be your current password/)
      .waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.keyboard.press('Enter');

    await page.getByText(/The password is set/).waitFor();
    const after = await app.deps.store.accounts.findUserByEmail(email);
    expect(after?.passwordHash).not.toBe(before?.passwordHash);
  });

  test('remembers colours and shortcuts', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'member', path: '/o/:organization/account' });

    await page.getByLabel('Colours').selectOption('dark');
    await page.getByLabel('Single-key shortcuts').uncheck();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.reload();

    expect(await page.getByLabel('Colours').inputValue()).toBe('dark');
    expect(await page.getByLabel('Single-key shortcuts').isChecked()).toBe(false);
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  });
});
