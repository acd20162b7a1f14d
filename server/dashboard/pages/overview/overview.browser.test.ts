import { expect, test } from 'vitest';
import { beginReembedding } from '../../../services/upkeep/reembed.js';
import { testApp } from '../../../testing/app/test-app.js';
import { LetterEmbedder } from '../../../testing/fixtures/letter-embedder.js';
import { deliverAll } from '../../../testing/fixtures/outbound-deliveries.js';
import { registerWebhook } from '../../../testing/fixtures/outbound-webhooks.js';
import { RecordingSender } from '../../../testing/fixtures/recording-sender.js';
import { capped, SMALL_PRICE, subscribe } from '../../../testing/fixtures/subscriptions.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

const PATH = '/o/:organization/overview';
const TEXTS = ['Deploys run on Fridays at noon.', 'Ana prefers morning meetings.', 'The queue drains in two minutes.'];

describeInBrowser('the overview page', (open) => {
  test('shows what is stored, what failed, and spends no metered read', async () => {
    const httpSender = RecordingSender.answering({ status: 410 });
    const app = await testApp({ billing: capped({ ingestPerMonth: 100, searchPerMonth: 100 }), httpSender });
    await subscribe(app.deps, app.organizationId, { priceIds: [SMALL_PRICE] });
    const webhook = await registerWebhook(app, { description: 'Search index' });
    for (const [at, content] of TEXTS.entries()) {
      const metadata = { source: at === 0 ? 'wiki' : 'chat \u202e', kind: 'note' };
      await app.send('POST', '/api/memories', { content, metadata });
    }
    await deliverAll(app, webhook.id);
    const { page } = await open(app, { as: 'owner', path: PATH });

    await page.getByText('active memories').waitFor();
    await page.getByRole('link', { name: 'Deploys run on Fridays at noon.' }).waitFor();
    await page.getByText('switched off by a 410').waitFor();
    await page.getByText('3 of 100').waitFor();
    await page.getByRole('img', { name: /^New memories by day/ }).waitFor();
    await takeScreenshots(page, 'overview');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByLabel('Split by').selectOption('Stored and merged');
    await page.getByRole('img', { name: /^Stored and merged/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('by')).toBe('merged');
    const { body } = await app.send('GET', '/api/organization/usage');
    expect(body).toMatchObject({ search: { used: 0 } });
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  });

  test('tells a member of an empty organization the first steps, and shows the first memory', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'member', path: PATH });
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await page.getByText(`curl http://127.0.0.1:${app.port}/api/memories \\`).waitFor();
    await takeScreenshots(page, 'overview-first-steps');
    expect(await accessibilityFaults(page)).toEqual([]);

    await app.send('POST', '/api/memories', { content: TEXTS[0] });
    await page.reload();

    await page.getByRole('link', { name: TEXTS[0] }).waitFor();
  });

  test('tells readers how far a move to another embedder is, and what the operator must do if it cannot begin', async () => {
    const former = new LetterEmbedder();
    let formers = [former];
    const formerOf = () => formers[0];
    const app = await testApp({ embedder: Object.assign(new LetterEmbedder('letters|v2|64'), { formerOf }) });
    await app.deps.store.transact(app.organizationId, async (unit) => {
      await unit.saveSettings({ ...(await unit.settings()), embeddingFingerprint: former.fingerprint });
    });
    for (const content of TEXTS.slice(0, 2)) await app.send('POST', '/api/memories', { content });
    await beginReembedding(app.deps, app.organizationId);
    await app.send('POST', '/api/memories', { content: TEXTS[2] });
    const { page } = await open(app, { as: 'readonly', path: PATH });
    const card = page.getByRole('region', { name: 'New embedder' });

    await card.getByText('1 of 3 memories are embedded with letters|v2|64').waitFor();
    await card.getByText('33 %').waitFor();
    await card.getByText('npm run reembed -- --status').waitFor();
    await takeScreenshots(page, 'overview-new-embedder');
    expect(await accessibilityFaults(page)).toEqual([]);

    formers = [];
    await page.reload();
    await card.getByText('The service is configured for letters|v2|64').waitFor();
    await card.getByText('npm run reembed', { exact: true }).waitFor();
    await takeScreenshots(page, 'overview-new-embedder-blocked');
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
