import { expect, test } from 'vitest';
import { jobHandlers } from '../../../jobs/handlers.js';
import { testApp } from '../../../testing/app/test-app.js';
import { subscribe } from '../../../testing/fixtures/subscriptions.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

const PATH = '/o/:organization/settings';

describeInBrowser('the settings page', (open) => {
  test('saves what was changed, and nothing else', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'owner', path: PATH });
    const save = page.getByRole('button', { name: 'Save changes' });

    await page.getByLabel('Versions kept of each memory').fill('3');
    await page.getByLabel('Deleted memories', { exact: true }).selectOption('purged');
    await page.getByLabel('Days until a deleted memory is purged').fill('14');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'settings');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.keyboard.press('Enter');

    expect((await sent).postDataJSON()).toEqual({ keptVersions: 3, deletedRetentionDays: 14 });
    await page.getByText('The settings are saved').waitFor();
    expect(await save.isDisabled()).toBe(true);
    const { body } = await app.send('GET', '/api/organization/settings');
    expect(body).toMatchObject({ keptVersions: 3, deletedRetentionDays: 14 });
  });

  test('renames the organization, and creates another one by keyboard', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'owner', path: PATH });

    await page.getByLabel('Name').fill('Acme research');
    await page.keyboard.press('Enter');
    await page.getByRole('banner').getByText('Acme research').waitFor();
    expect((await app.send('GET', '/api/organization')).body).toMatchObject({ name: 'Acme research' });

    await page.getByRole('button', { name: 'Create another organization' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await page.keyboard.type('Acme trials');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Organization Acme trials' }).click();
    await page.getByRole('menuitemradio', { name: 'Acme research' }).click();
    await page.waitForURL(`http://127.0.0.1:${app.port}/o/${app.organizationId}/overview`);
  });

  test('keeps the draft when the service refuses it, and says why', async () => {
    const app = await testApp();
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
    await app.send('POST', '/api/memories', { content: 'About Ana.', subjectKey: 'ana' });
    const { page } = await open(app, { as: 'owner', path: PATH, expected: ['409 PATCH /api/organization/settings'] });

    await page.getByLabel('Subject keys').selectOption('integer');
    await page.getByRole('button', { name: 'Save changes' }).click();

    await page.getByRole('alert').getByText('subject_key_type_in_use').waitFor();
    expect(await page.getByLabel('Subject keys').inputValue()).toBe('integer');
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await page.getByLabel('Subject keys').inputValue()).toBe('string');
  });

  test('erases a subject after its key is typed again, and keeps the receipt at the address', async () => {
    const app = await testApp();
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
    await app.send('POST', '/api/memories', { content: 'About Ana.', subjectKey: 'ana' });
    const { page } = await open(app, { as: 'owner', path: PATH });

    await page.getByLabel('Subject key', { exact: true }).fill('ana');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    const erase = dialog.getByRole('button', { name: 'Erase everything' });
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByLabel('Type “ana” to confirm').fill('ana');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'settings-erase');
    await page.keyboard.press('Enter');

    await page.getByText('Erasing').waitFor();
    expect(new URL(page.url()).searchParams.get('erasure')).toMatch(/^[0-9a-f-]{36}$/);
    await page.reload();
    await page.getByText('Erasing').waitFor();
    await app.deps.jobs.start(jobHandlers(app.deps));
    await page.getByText('Done', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Copy Digest of the removed memories' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'settings-receipt');
  });

  test('deletes the organization by keyboard after its name is typed, and goes to another one', async () => {
    const app = await testApp();
    await app.send('POST', '/api/memories', { content: 'Ana likes tea.' });
    const { page } = await open(app, { as: 'owner', path: PATH });
    await page.getByRole('button', { name: 'Create another organization' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('Acme trials');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`http://127.0.0.1:${app.port}${PATH.replace(':organization', app.organizationId)}`);

    await page.getByRole('button', { name: 'Delete…' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 memory, deleted ones included').waitFor();
    const remove = dialog.getByRole('button', { name: 'Delete everything' });
    expect(await remove.isDisabled()).toBe(true);
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'settings-delete');
    await page.keyboard.type('default');
    await dialog.getByRole('button', { name: 'Delete everything', disabled: false }).waitFor();
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('banner').getByText('Acme trials').waitFor();
    expect(await app.deps.store.accounts.findOrganization(app.organizationId)).toBeUndefined();
    expect((await app.send('GET', '/api/organization')).status).toBe(401);
  });

  test('offers to create an organization after the only one was deleted', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'owner', path: PATH });

    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByLabel('Type “default” to confirm').fill('default');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No organization' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'no-organization');
    await page.getByLabel('Name of the new organization').fill('Acme trials');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('banner').getByText('Acme trials').waitFor();
  });

  test('keeps the organization while its subscription goes on, and says why', async () => {
    const app = await testApp();
    await subscribe(app.deps, app.organizationId);
    const { page } = await open(app, { as: 'owner', path: PATH, expected: ['409 POST /api/organization/delete'] });

    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByLabel('Type “default” to confirm').fill('default');
    await page.keyboard.press('Enter');

    await page.getByRole('dialog').getByText('subscription_open').waitFor();
    expect((await app.send('GET', '/api/organization')).status).toBe(200);
  });

  test('shows a reader the settings without controls, and lets them leave', async () => {
    const app = await testApp();
    const { page, email = '' } = await open(app, { as: 'readonly', path: PATH, expected: [] });

    await page.getByText('Only owners change these settings.').waitFor();
    expect(await page.getByLabel('Versions kept of each memory').isDisabled()).toBe(true);
    expect(await page.getByText('Erase a subject').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Delete…' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Leave…' }).click();
    await page.getByLabel(/^Type/).fill('default');
    await page.getByRole('button', { name: 'Leave', exact: true }).click();

    await page.waitForURL(`http://127.0.0.1:${app.port}/`);
    const own = await app.deps.store.accounts.findUserByEmail(email);
    expect(await app.deps.store.accounts.findMembers(app.organizationId, [own?.id ?? ''])).toEqual([]);
  });
});
