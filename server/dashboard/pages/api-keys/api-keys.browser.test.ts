import { expect, test } from 'vitest';
import { member, testApp } from '../../../testing/app/test-app.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

const PATH = '/o/:organization/api-keys';

describeInBrowser('the page of API keys', (open) => {
  test('creates a key by keyboard, sees its first use, and revokes it', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'owner', path: PATH });

    await page.getByRole('button', { name: 'Create a key' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').waitFor();
    await page.keyboard.type('Claude on my laptop');
    await takeScreenshots(page, 'api-keys-create');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('Waiting for first use').waitFor();
    await page.getByRole('rowheader', { name: 'Claude on my laptop' }).waitFor();
    await takeScreenshots(page, 'api-keys-new');
    expect(await accessibilityFaults(page)).toEqual([]);

    const command = await page.getByRole('figure', { name: 'Shell' }).locator('pre').textContent();
    const key = /Bearer (msk_[\w-]+)/.exec(command ?? '')?.[1] ?? '';
    expect(command).toContain(`http://127.0.0.1:${app.port}/mcp`);
    const used = await app.send('POST', '/api/memories/search', { query: 'x' }, { authorization: `Bearer ${key}` });
    expect(used.status).toBe(200);
    await page.getByText('In use').waitFor();

    const row = page.getByRole('row', { name: /Claude on my laptop/ });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByLabel('Show revoked keys').check();
    await row.getByText('Revoked').waitFor();
    expect(new URL(page.url()).search).toBe('?revoked=true');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'api-keys');
  });

  test.each([
    ['owner', ['memory:search', 'memory:ingest', 'memory:admin', 'settings:admin']],
    ['member', ['memory:search', 'memory:ingest', 'memory:admin']],
    ['readonly', ['memory:search']],
  ] as const)('offers %s the abilities that the service accepts from them', async (role, abilities) => {
    const app = await testApp();
    await member(app, 'member', ['memory:search']);
    const { page } = await open(app, { as: role, path: `${PATH}?dialog=create` });

    await page.getByLabel('Name').fill('everything');
    const choices = page.getByRole('group', { name: 'What it may do' }).getByRole('checkbox');
    for (const choice of await choices.all()) await choice.check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();

    await page.getByText('Waiting for first use').waitFor();
    const tokens = await app.send('GET', '/api/organization/tokens');
    expect(tokens.body).toMatchObject({
      tokens: expect.arrayContaining([
        expect.objectContaining({
          name: 'everything',
          abilities: [...abilities, `organization:${app.organizationId}`],
        }),
      ]),
    });
  });

  test('offers the one thing to do while there is no key', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'readonly', path: PATH });

    await page.getByText('There is no key yet').waitFor();

    await takeScreenshots(page, 'api-keys-empty');
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
