import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { testApp } from '../../../testing/app/test-app.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { chooseFromMenu } from '../../testing/choose-from-menu.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

const PATH = '/o/:organization/audit';

describeInBrowser('the audit page', (open) => {
  test('lists events, filters them in the address, and exports what matches', async () => {
    const app = await testApp();
    for (let at = 0; at < 60; at += 1) await app.send('POST', '/api/memories', { content: `fact ${at}` });
    const { body } = await app.send('POST', '/api/memories', { content: 'to delete', metadata: { kind: 'note' } });
    const id = String(body.id);
    await app.send('DELETE', `/api/memories/${id}`);
    const { page } = await open(app, { as: 'owner', path: PATH });

    await page.getByText('50 shown').waitFor();
    await page.getByRole('link', { name: id }).first().waitFor();
    await takeScreenshots(page, 'audit');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Load more' }).press('Enter');
    await page.getByText('62 shown').waitFor();

    await page.getByLabel('Action').selectOption('memory.delete');
    await page.getByText('1 shown').waitFor();
    await page.getByLabel('Action').selectOption('memory.update');
    await page.getByRole('button', { name: 'Remove the filter memory.update' }).waitFor();
    await page.getByLabel('Source').selectOption('rest');
    await page.getByRole('row').nth(1).getByRole('button').press('Enter');
    await page.getByRole('button', { name: 'Remove the filter actor' }).waitFor();
    const params = new URL(page.url()).searchParams;
    expect([params.get('action'), params.get('source')]).toEqual(['memory.delete,memory.update', 'rest']);
    await takeScreenshots(page, 'audit-filtered');
    expect(await accessibilityFaults(page)).toEqual([]);

    const download = page.waitForEvent('download');
    await chooseFromMenu(page, 'Export', 'Table (CSV)');
    const file = await download;
    expect(file.suggestedFilename()).toBe('audit-events.csv');
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    expect([lines.length, lines[1]?.includes('memory.delete')]).toEqual([2, true]);

    await page.getByLabel('Source').selectOption('mcp');
    await page.getByRole('button', { name: 'Clear the filters' }).press('Enter');
    await page.getByText('62 shown').waitFor();
    expect(new URL(page.url()).search).toBe('');
    for (const key of ['j', 'k', 'j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('tab', { name: 'Audit' }).click();
    await page.getByRole('link', { name: 'Show in the audit log' }).click();
    await page.getByRole('button', { name: `Remove the filter memory ${id}` }).waitFor();
    await page.getByText('2 shown').waitFor();
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  });
});
