import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type TestApp, testApp } from '../../../testing/app/test-app.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

const PATH = '/o/:organization/memories';

describeInBrowser('the memories page', (open) => {
  test('opens, edits, restores and deletes a memory by keyboard', async () => {
    const app = await testApp();
    await fill(app);
    const { page } = await open(app, { as: 'owner', path: PATH });
    await row(page, 'Deploys run').waitFor();
    await page.getByText('3 memories').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'memories-full');

    for (const key of ['j', 'j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
    const panel = page.getByRole('complementary', { name: 'Memory' });
    await panel.getByText('Deploys run on Fridays at noon.').waitFor();
    expect(page.url()).toMatch(/\/memories\/[0-9a-f-]{36}$/);
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'memories-open');

    await press(page, 'Edit');
    await page.getByLabel('Content').fill('Deploys run on Mondays at noon.');
    await press(page, 'Review');
    await page.getByRole('dialog').getByText('Fridays').waitFor();
    expect(await page.getByRole('dialog').locator('ins').textContent()).toBe('Mondays');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'memories-edit');
    await press(page, 'Save');
    await row(page, 'Deploys run on Mondays').waitFor();

    await panel.getByRole('tab', { name: 'Memory' }).focus();
    await page.keyboard.press('ArrowRight');
    await panel.getByText('Version 1').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'memories-versions');
    await press(page, 'Restore');
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).press('Enter');
    await row(page, 'Deploys run on Fridays').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await press(page, 'Delete');
    await press(page, 'Undo');
    await page.getByText('Restored', { exact: true }).waitFor();
    await press(page, 'Delete');
    await press(page, 'Purge');
    await page.getByLabel('Type “purge” to confirm').fill('purge');
    await page.keyboard.press('Enter');
    await page.getByText('Purged').waitFor();
    await row(page, 'Deploys run').waitFor({ state: 'detached' });
    expect(page.url()).toMatch(/\/memories\?tab=versions$/);
  });

  test('filters by the values that are there, and by time', async () => {
    const app = await testApp();
    await fill(app);
    const { page } = await open(app, { as: 'readonly', path: PATH });

    await press(page, 'Filters');
    await page.getByRole('button', { name: 'wiki 1' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'memories-filters');
    await press(page, 'wiki 1');
    await page.getByText('1 memory').waitFor();
    await row(page, 'Ana prefers').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('filter')).toBe('{"source":"wiki"}');

    const bar = page.locator('fieldset button[tabindex="0"]');
    for (const key of ['ArrowLeft', 'ArrowLeft', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Enter']) await bar.press(key);
    await page.getByRole('button', { name: /^time/ }).waitFor();
    const { since, until } = Object.fromEntries(new URL(page.url()).searchParams);
    expect(Date.parse(until ?? '') - Date.parse(since ?? '')).toBe(3 * 3_600_000);
    await row(page, 'Deploys run').waitFor();
    await press(page, /^source/);
    await row(page, 'Ana prefers').waitFor();
    await press(page, 'Clear all');
    await press(page, 'Deleted');
    await page.getByRole('heading', { name: 'No memory matches' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.getByRole('checkbox').count()).toBe(0);
  });

  test('deletes what is selected after its number is typed', async () => {
    const app = await testApp();
    await fill(app);
    const { page } = await open(app, { as: 'member', path: PATH });

    await page.getByRole('checkbox').first().press(' ');
    await press(page, 'Select 3 shown');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'memories-selected');
    await press(page, 'Delete 3');
    await page.getByLabel('Type “3” to confirm').fill('3');
    await page.keyboard.press('Enter');

    await page.getByText('Nothing is stored yet').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'memories-empty');
    await press(page, 'Undo');
    await page.getByText('3 memories restored').waitFor();
    for (const content of ['Deploys run', 'Ana prefers', 'The queue drains']) await row(page, content).waitFor();
  });

  test('says which memories it could not restore, and offers no undo for many', async () => {
    const app = await testApp();
    for (let at = 0; at < 20; at += 1) await add(app, `fact number ${at}`);
    const { body } = await app.send('POST', '/api/memories', { content: 'the newest fact' });
    const expected = [`409 POST /api/memories/${body.id}/restore`];
    const { page } = await open(app, { as: 'member', path: PATH, expected });
    await page.getByRole('checkbox').first().press(' ');
    await page.getByRole('checkbox').nth(1).press(' ');
    await press(page, 'Delete 2');
    await page.getByLabel('Type “2” to confirm').fill('2');
    await page.keyboard.press('Enter');
    await page.getByText('2 memories deleted').waitFor();
    await add(app, 'the newest fact');
    await press(page, 'Undo');
    await page.getByText('1 memory restored, 1 not').waitFor();

    await page.getByRole('checkbox').first().press(' ');
    await press(page, 'Select 21 shown');
    await press(page, 'Delete 21');
    await page.getByLabel('Type “21” to confirm').fill('21');
    await page.keyboard.press('Enter');
    await page.getByText('21 memories deleted. They are under “Deleted”').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  });

  test('deletes all that match a filter after their number is typed', async () => {
    const app = await testApp();
    await fill(app);
    const filter = encodeURIComponent('{"source":"chat"}');
    const { page } = await open(app, { as: 'member', path: `${PATH}?filter=${filter}` });

    await page.getByRole('checkbox').first().press(' ');
    await press(page, 'Delete all 2 that match');
    await page.getByLabel('Type “2” to confirm').fill('2');
    await page.keyboard.press('Enter');

    await page.getByText('2 memories deleted').waitFor();
    await press(page, 'Clear all filters');
    await row(page, 'Deploys run').waitFor();
    await press(page, 'Deleted');
    await row(page, 'Ana prefers').waitFor();
    await row(page, 'The queue drains').waitFor();
    await press(page, 'Undo');
    await page.getByText('2 memories restored').waitFor();
    await page.getByRole('heading', { name: 'No memory matches' }).waitFor();
  });

  test('says what becomes of a memory that is added, and offers what others add', async () => {
    const app = await testApp();
    await fill(app);
    const { page } = await open(app, { as: 'member', path: PATH });
    await row(page, 'Deploys run').waitFor();

    await add(app, 'The queue has two workers.');
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await row(page, 'two workers').count()).toBe(0);
    await takeScreenshots(page, 'memories-new');
    await press(page, '1 new');
    await row(page, 'two workers').waitFor();

    await press(page, 'Add a memory');
    await page.getByLabel('Content').fill('The queue has two workers.');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'memories-add');
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');
    await page.getByText('This content was already stored').waitFor();
    expect(page.url()).toMatch(/\/memories\/[0-9a-f-]{36}$/);
  });

  test('shows hostile content as text, and spends no metered read', async () => {
    const app = await testApp();
    await add(app, '<script>alert(1)</script><img src=x onerror=alert(1)> \u202egnp.exe', {
      '<b>': '"><svg onload=alert(1)>',
    });
    await add(app, `${'long '.repeat(19_000)}end of it`);
    const metered: string[] = [];
    const { page } = await open(app, { as: 'owner', path: PATH });
    page.on('request', (request) => {
      if (/stats|similar|search|recent|changes|documents|export/.test(request.url())) metered.push(request.url());
    });
    await page.reload();

    await row(page, '<script>alert(1)</script>').click();
    const panel = page.getByRole('complementary', { name: 'Memory' });
    await panel.getByText('"><svg onload=alert(1)>').waitFor();
    await panel.getByTitle('U+202E').waitFor();
    await takeScreenshots(page, 'memories-hostile');
    await page.keyboard.press('k');
    await panel.getByText('end of it').waitFor();

    expect(metered).toEqual([]);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('shows a memory in place of the list on a phone, and comes back to it', async () => {
    const app = await testApp();
    await fill(app);
    const { page } = await open(app, { as: 'readonly', path: PATH });
    await page.setViewportSize({ width: 375, height: 740 });
    await row(page, 'Deploys run').click();
    await page.getByRole('heading', { name: 'Memory', level: 1 }).waitFor();
    expect(await row(page, 'Deploys run').isVisible()).toBe(false);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.getByRole('button', { name: /^(Edit|Delete)$/ }).count()).toBe(0);

    await page.getByRole('button', { name: 'wiki' }).click();
    await page.getByText('1 memory').waitFor();
    await row(page, 'Deploys run').click();
    await page.getByRole('button', { name: 'All memories' }).click();
    await row(page, 'Deploys run').waitFor();
    expect(new URL(page.url()).searchParams.get('filter')).toBe('{"source":"wiki"}');
  });

  test('opens a link to a memory, with those similar to it and its events', async () => {
    const app = await testApp();
    await fill(app);
    const { body } = await app.send('POST', '/api/memories', { content: 'Deploys stop on Fridays.', dedupe: 'off' });
    const { page } = await open(app, { as: 'owner', path: `${PATH}/${body.id}?since=2100-01-01&tab=similar` });
    const panel = page.getByRole('complementary', { name: 'Memory' });
    await page.getByText('No memory matches').first().waitFor();

    await press(page, 'Find similar memories');
    await panel.getByRole('link', { name: 'Deploys run on Fridays at noon.' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'memories-similar');
    await panel.getByRole('tab', { name: 'Audit' }).click();
    await panel.getByText('memory.ingest').waitFor();
    await takeScreenshots(page, 'memories-audit');
    await panel.getByRole('tab', { name: 'JSON' }).click();
    await panel.getByText(`"id": "${body.id}"`).waitFor();
    await panel.getByRole('tab', { name: 'Memory' }).click();
    await panel.getByText('Off: other memories may have the same content').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('says what failed with the id of the request, and reads again on demand', async () => {
    const app = await testApp();
    await fill(app);
    const path = `${PATH}/01890000-0000-7000-8000-000000000000`;
    const missing = '404 GET /api/memories/01890000-0000-7000-8000-000000000000';
    const { page } = await open(app, {
      as: 'member',
      path,
      expected: [missing, '500 GET /api/organization/memories'],
    });
    const panel = page.getByRole('complementary', { name: 'Memory' });
    await panel.getByText('Not found').waitFor();
    await page.route('**/api/organization/memories?*', (route) => {
      const body = JSON.stringify({ error: 'Internal error', code: 'internal_error', requestId: 'broken-1' });
      return route.fulfill({ status: 500, headers: { 'X-Request-Id': 'broken-1' }, body });
    });

    await page.getByLabel('Order').selectOption('Oldest first');
    await page.getByText('broken-1').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'memories-failing');
    await page.unroute('**/api/organization/memories?*');
    await press(page, 'Try again');
    await row(page, 'Deploys run').waitFor();
  });

  test('keeps the rendered rows few, however many there are', async () => {
    const app = await testApp();
    for (let batch = 0; batch < 10; batch++) {
      const items = Array.from({ length: 50 }, (_, at) => ({ content: `Number ${batch * 50 + at} of the list.` }));
      await app.send('POST', '/api/memories/batch', { items });
    }
    const { page } = await open(app, {
      as: 'owner',
      path: '/sign-in',
      expected: ['500 GET /api/organization/memories'],
    });
    await page.route('**/api/organization/memories?*cursor=*', (route) => {
      const body = JSON.stringify({ error: 'Internal error', code: 'internal_error', requestId: 'broken-2' });
      return route.fulfill({ status: 500, headers: { 'X-Request-Id': 'broken-2' }, body });
    });
    await page.goto(PATH.replace(':organization', app.organizationId));
    await row(page, 'Number 499 of').waitFor();

    await page.locator('a[data-id]').first().hover();
    await scrollTo(page, page.getByText('broken-2'));
    await page.unroute('**/api/organization/memories?*cursor=*');
    await press(page, 'Try again');
    await scrollTo(page, row(page, 'Number 0 of'));

    await row(page, 'Number 0 of').waitFor();
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
  });
});

/** Stores three memories, the newest last. */
async function fill(app: TestApp): Promise<void> {
  await add(app, 'The queue drains in two minutes.', { source: 'chat', kind: 'note', project: 'queue' });
  await add(app, 'Deploys run on Fridays at noon.', {
    source: 'wiki',
    kind: 'note',
    project: 'deploys',
    tags: ['ops'],
  });
  await add(app, 'Ana prefers morning meetings.\nShe works in Lisbon.', { source: 'chat', kind: 'preference' });
}

async function add(app: TestApp, content: string, metadata: Record<string, unknown> = {}): Promise<void> {
  await app.send('POST', '/api/memories', { content, metadata });
}

function row(page: Page, content: string) {
  return page.locator('a[data-id]').filter({ hasText: content });
}

async function scrollTo(page: Page, target: Locator): Promise<void> {
  for (let turn = 0; (await target.count()) === 0 && turn < 100; turn++) await page.mouse.wheel(0, 2_000);
}

async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) }).press('Enter');
}
