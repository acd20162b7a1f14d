import { expect, test } from 'vitest';
import { person } from '../../../testing/app/sign-in.js';
import { testApp } from '../../../testing/app/test-app.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

const PATH = '/o/:organization/team';

describeInBrowser('the team page', (open) => {
  test('invites by keyboard, shows the link, and revokes the invitation', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'owner', path: PATH });

    await page.getByRole('button', { name: 'Invite a person' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('E-mail address').waitFor();
    await page.keyboard.type('ben@example.test');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'team-invite');
    await page.keyboard.press('Enter');
    await page.getByText('Pass this link on').waitFor();
    const row = page.getByRole('row', { name: /ben@example\.test/ });
    await row.waitFor();
    await takeScreenshots(page, 'team-invited');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByText(/^https:\/\/memory\.example\.test\/invitations\/accept\/./).waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Nobody is invited at present.').waitFor();
  });

  test('changes roles and takes a change back, and removes a member', async () => {
    const app = await testApp();
    const { userId, email } = await person(app, 'member');
    const { page } = await open(app, { as: 'owner', path: PATH });
    const role = page.getByLabel(`Role of ${email}`);
    const stored = async () => (await app.deps.store.accounts.findMembers(app.organizationId, [userId]))[0]?.role;

    await role.selectOption('readonly');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(await stored()).toBe('readonly');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(`${email}: Member`).waitFor();
    expect(await stored()).toBe('member');

    const row = page.getByRole('row', { name: new RegExp(email) });
    await row.getByRole('button', { name: 'Remove' }).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await stored()).toBeUndefined();
  });

  test('says why the last owner cannot leave', async () => {
    const app = await testApp();
    const expected: string[] = [];
    const { page, email = '' } = await open(app, { as: 'owner', path: PATH, expected });
    const own = await app.deps.store.accounts.findUserByEmail(email);
    expected.push(`409 PATCH /api/organization/members/${own?.id}`);
    await page.getByLabel(`Role of ${email}`).waitFor();
    await page.getByLabel('Role of owner@localhost').selectOption('member');
    await page.getByText('owner@localhost: Member').waitFor();

    await page.getByLabel(`Role of ${email}`).selectOption('member');
    await page.getByRole('dialog').getByRole('button', { name: 'Change my role' }).click();

    await page.getByRole('dialog').getByText('last_owner').waitFor();
    await takeScreenshots(page, 'team-last-owner');
    await page.keyboard.press('Escape');
    expect(await page.getByLabel(`Role of ${email}`).inputValue()).toBe('owner');
  });
});
