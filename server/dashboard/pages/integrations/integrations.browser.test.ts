import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { testApp } from '../../../testing/app/test-app.js';
import { deliverAll } from '../../../testing/fixtures/outbound-deliveries.js';
import { registerWebhook } from '../../../testing/fixtures/outbound-webhooks.js';
import { RecordingSender } from '../../../testing/fixtures/recording-sender.js';
import { aPush, sha } from '../../../testing/inbound/code-host.js';
import { Sender } from '../../../testing/inbound/sender.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { chooseFromMenu } from '../../testing/choose-from-menu.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

const HOUR_MS = 3_600_000;
/** Attempts of a delivery until it has failed. */
const ATTEMPTS = 4;
const PATH = '/o/:organization/integrations';

describeInBrowser('the integrations page', (open) => {
  test('creates an inbound webhook by keyboard, shows its secret once, rotates and deletes it', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'owner', path: PATH });
    await page.getByRole('heading', { name: 'No inbound webhooks' }).waitFor();
    await takeScreenshots(page, 'integrations-empty');
    expect(await accessibilityFaults(page)).toEqual([]);

    await press(page, 'Add an inbound webhook');
    await page.getByLabel('Name').fill('acme/api');
    await takeScreenshots(page, 'integrations-create');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByLabel('Name').press('Enter');

    const secret = page.getByRole('dialog', { name: 'Connect the sender' });
    await secret.getByText(/^http:.*\/webhooks\/codehost\//).waitFor();
    await takeScreenshots(page, 'integrations-secret');
    await page.mouse.click(5, 5);
    for (const _ of ['once', 'again']) await page.keyboard.press('Escape');
    expect(await secret.getByText('Secret', { exact: true }).first().isVisible()).toBe(true);
    await secret.getByRole('button', { name: 'Done' }).press('Enter');
    await page.getByRole('heading', { name: 'Code host' }).waitFor();
    await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();

    await chooseFromMenu(page, 'Actions', 'Rotate the secret');
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByRole('dialog', { name: 'The new secret' }).getByRole('button', { name: 'Done' }).click();
    await page.getByText(/^Accepted until/).waitFor();

    await chooseFromMenu(page, 'Actions', 'Disable');
    await page.getByText('Disabled', { exact: true }).first().waitFor();
    await chooseFromMenu(page, 'Actions', 'Delete');
    await page.getByLabel('Type “acme/api” to confirm').fill('acme/api');
    await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'No inbound webhooks' }).waitFor();
  });

  test('shows the deliveries of a sender by state, with refused requests', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, 'codehost', { name: 'acme/api' });
    await sender.deliver(aPush([{ id: sha(1) }]));
    await sender.deliver(aPush([]), { event: 'watch' });
    await sender.deliver(aPush([{ id: sha(2) }]), { secret: 'not the secret' });
    const { page } = await open(app, { as: 'owner', path: `${PATH}/inbound/${sender.id}` });

    await page.getByText('the signature is not that of the body').waitFor();
    await page.getByText('queued', { exact: true }).last().waitFor();
    await takeScreenshots(page, 'integrations-inbound');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByLabel('State').selectOption('failed');
    await page.getByRole('heading', { name: 'No such deliveries' }).waitFor();

    expect(new URL(page.url()).searchParams.get('state')).toBe('failed');
  });

  test('creates an outbound webhook, sends a test event and sends failed deliveries again', async () => {
    const httpSender = RecordingSender.answering({ status: 503, answer: Buffer.from('no room') });
    const clock = { now: (Date.now() - 4 * HOUR_MS) * 1_000 };
    const app = await testApp({ httpSender, now: () => clock.now++ });
    const { page } = await open(app, { as: 'owner', path: PATH });

    await press(page, 'Add an outbound webhook');
    await page.getByLabel('URL').fill('https://example.com/hook');
    await page.getByLabel('URL').press('Enter');
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('button', { name: 'Send a test event' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delivery' });
    await dialog.getByText('None yet.').waitFor();
    const webhookId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await app.send('POST', '/api/memories', { content: 'Deploys run on Fridays.', metadata: { source: 'wiki' } });
    for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
      await deliverAll(app, webhookId);
      clock.now += HOUR_MS * 1_000;
    }
    await dialog.getByRole('button', { name: 'Refresh' }).click();
    await dialog.getByText('no room').waitFor();
    await takeScreenshots(page, 'integrations-delivery');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Send failed again' }).click();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('1 delivery is sent again').waitFor();
    await page.getByRole('cell', { name: 'pending' }).waitFor();
    await takeScreenshots(page, 'integrations-outbound');
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await page.getByRole('row').last().locator('time').isVisible()).toBe(true);
    for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
    await dialog.getByText('no room').or(dialog.getByText('None yet.')).first().waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TR');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('lists both kinds of webhooks, also on a phone, and no longer one that was deleted', async () => {
    const app = await testApp();
    await Sender.register(app, 'tracker', { name: `team ${'x'.repeat(150)}` });
    const url = `https://example.com/${'hook'.repeat(40)}`;
    await registerWebhook(app, { url, description: 'Search index' });
    const { page } = await open(app, { as: 'owner', path: PATH });
    await page.getByText('Search index').waitFor();
    await takeScreenshots(page, 'integrations');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.setViewportSize({ width: 375, height: 740 });

    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);

    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: 'https://example.com/' }).press('Enter');
    await chooseFromMenu(page, 'Actions', 'Delete');
    const confirm = page.getByRole('dialog', { name: 'Delete the webhook' });
    await confirm.getByRole('textbox').fill(url);
    await confirm.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'No outbound webhooks' }).waitFor();
  });
});

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).press('Enter');
}
