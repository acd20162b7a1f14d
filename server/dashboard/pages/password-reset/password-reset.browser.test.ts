import { expect, test } from 'vitest';
import type { Mail } from '../../../ports/mailer.js';
import { person } from '../../../testing/app/sign-in.js';
import { testApp } from '../../../testing/app/test-app.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

const NEW_PASSWORD = 'another long and secret phrase';

describeInBrowser('the page for a forgotten password', (open) => {
  test('mails a link that sets a new password, with which its person signs in', async () => {
    const mails: Mail[] = [];
    const app = await testApp({ mailer: { send: async (mail) => void mails.push(mail) } });
    const { email } = await person(app, 'member');
    const { page } = await open(app, { path: '/sign-in' });

    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
    await page.getByLabel('E-mail address').fill(email);
    await takeScreenshots(page, 'password-reset');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('a mail with a link is on its way').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await expect.poll(() => mails.length).toBe(1);

    await page.goto(`/welcome${/#\S+/.exec(mails[0]?.text ?? '')?.[0]}`);
    await page.getByRole('button', { name: 'Set a password' }).click();
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const session = await app.send(
      'POST',
      '/api/session',
      { email, password: NEW_PASSWORD },
      { authorization: undefined },
    );
    expect(session.status).toBe(201);
  });

  test('says what to ask the operator for, if no mail is sent', async () => {
    const app = await testApp();
    const { page } = await open(app, { path: '/password-reset' });

    await page.getByLabel('E-mail address').fill('ana@example.test');
    await page.getByRole('button', { name: 'Send a link' }).click();

    await page.getByText('memory-server dashboard --email ana@example.test').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'password-reset-no-mail');
  });
});
