import { expect, test } from 'vitest';
import { testApp } from '../../../testing/app/test-app.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

describeInBrowser('the invitation page', (open) => {
  test('makes the invitee a member, who then signs in', async () => {
    const app = await testApp();
    const email = 'ana@example.test';
    const password = 'a long and secret phrase';
    const { body } = await app.send('POST', '/api/organization/invitations', { email, role: 'member' });
    const { page } = await open(app, { path: new URL(String(body.link)).pathname });

    await page.getByLabel('Your invited e-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await takeScreenshots(page, 'invitation');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Accept' }).click();

    await page.getByText('You are a member of').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  test('says that the link is not valid', async () => {
    const app = await testApp();
    const { page } = await open(app, {
      path: '/invitations/accept/unknown',
      expected: ['404 POST /api/invitations/accept'],
    });

    await page.getByLabel('Your invited e-mail address').fill('ana@example.test');
    await page.getByRole('button', { name: 'Accept' }).click();

    await page.getByRole('alert').getByText('invitation_invalid').waitFor();
  });
});
