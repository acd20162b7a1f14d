import { expect, test } from 'vitest';
import { type TestApp, testApp } from '../../../testing/app/test-app.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

const PATH = '/o/:organization/changes';

describeInBrowser('the page of changes', (open) => {
  test('lists the last change of each memory, newest first, without a metered read', async () => {
    const app = await changed();
    const { page } = await open(app, { as: 'readonly', path: PATH });
    const metered: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/memories/')) metered.push(request.url());
    });

    await page.getByText('4 changes').waitFor();
    const rows = await page.getByRole('main').getByRole('listitem').allInnerTexts();
    expect(rows.map((row) => row.split('\n')[0])).toEqual(['deleted', 'updated', 'created', 'created']);
    await takeScreenshots(page, 'changes');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await accessibilityFaults(page)).toEqual([]);

    const long = 'w'.repeat(300);
    await app.send('POST', '/api/memories', { content: `A fifth memory ${long}`, metadata: { source: long } });
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.getByText('5 changes').waitFor();
    await page.keyboard.press('j');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('A fifth memory');
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    expect(metered).toEqual([]);
  });

  test('reads the feed on request, with what was purged', async () => {
    const app = await changed();
    const { page } = await open(app, { as: 'member', path: PATH });
    await page.getByText('4 changes').waitFor();

    await page.getByLabel('List').selectOption('feed');
    await page.getByText('The feed is read on request').waitFor();
    await takeScreenshots(page, 'changes-feed-unread');
    await page.getByRole('button', { name: 'Read the feed' }).press('Enter');

    await page.getByText('5 changes').waitFor();
    const rows = await page.getByRole('main').getByRole('listitem').allInnerTexts();
    expect(rows.map((row) => row.split('\n')[0])).toEqual(['created', 'created', 'updated', 'deleted', 'purged']);
    expect(new URL(page.url()).searchParams.get('view')).toBe('feed');
    await takeScreenshots(page, 'changes-feed');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('filters, and loads more', async () => {
    const app = await changed();
    for (let from = 0; from < 60; from += 30) {
      const items = Array.from({ length: 30 }, (_, at) => ({
        content: `Entry ${from + at} of the log.`,
        metadata: { source: 'log' },
      }));
      await app.send('POST', '/api/memories/batch', { items });
    }
    const { page } = await open(app, { as: 'member', path: PATH });
    await page.getByText('50 changes').waitFor();

    await page.getByText('Filter', { exact: false }).first().click();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.keyboard.type('source');
    await page.getByLabel('Value of condition 1').fill('log');
    await page.keyboard.press('Enter');
    await page.waitForURL(/filter=/);
    await takeScreenshots(page, 'changes-filter');
    await page.getByRole('button', { name: 'Load more' }).click();

    await page.getByText('60 changes').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('puts the focus into a new condition before the next key arrives', async () => {
    const { page } = await open(await changed(), { as: 'member', path: PATH });
    await page.getByText('4 changes').waitFor();
    await page.getByText('Filter', { exact: false }).first().click();

    const focused = await page.getByRole('button', { name: 'Add a condition' }).evaluate(async (button) => {
      (button as HTMLElement).click();
      // The click's own microtasks. A key is a later task.
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      return document.activeElement?.getAttribute('aria-label');
    });

    expect(focused).toBe('Key of condition 1');
  });

  test('says that nothing changed, and what failed', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'member', path: PATH, expected: ['500 GET /api/organization/memories'] });
    await page.getByText('No changes here').waitFor();
    await takeScreenshots(page, 'changes-empty');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.route('**/api/organization/memories?**', (route) => {
      const body = JSON.stringify({ error: 'Internal error', code: 'internal_error', requestId: 'broken-1' });
      return route.fulfill({ status: 500, headers: { 'X-Request-Id': 'broken-1' }, body });
    });
    await page.getByRole('button', { name: 'Read again' }).click();

    await page.getByText('broken-1').waitFor();
    await takeScreenshots(page, 'changes-failing');
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});

/** Stores memories: two new ones, one changed, one deleted and one purged. */
async function changed(): Promise<TestApp> {
  const app = await testApp();
  const ids: string[] = [];
  for (const content of [
    'Ana prefers tea.',
    'Deploys run on Fridays.',
    'The queue drains.',
    'Old note.',
    'A secret.',
  ]) {
    const { body } = await app.send('POST', '/api/memories', { content, metadata: { kind: 'note', source: 'chat' } });
    ids.push((body as { id: string }).id);
  }
  const [, , third, fourth, fifth] = ids;
  await app.send('PATCH', `/api/memories/${third}`, { content: 'The queue drains in two minutes.' });
  await app.send('DELETE', `/api/memories/${fourth}`);
  await app.send('DELETE', `/api/memories/${fifth}`);
  await app.send('POST', `/api/memories/${fifth}/purge`);
  return app;
}
