import { expect, test } from 'vitest';
import { type TestApp, testApp } from '../../../testing/app/test-app.js';
import { accessibilityFaults } from '../../testing/accessibility.js';
import { describeInBrowser } from '../../testing/describe-in-browser.js';
import { takeScreenshots } from '../../testing/screenshots.js';

const PATH = '/o/:organization/documents';

describeInBrowser('the documents page', (open) => {
  test('lists documents with their gaps, reads one, shows its memories and deletes it', async () => {
    const app = await testApp();
    await store(app);
    const { page } = await open(app, { as: 'member', path: PATH });
    await page.getByText('1 missing').waitFor();
    await page.getByText('2 of 3').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'documents-full');

    await page.getByRole('link', { name: 'docs/guide.md' }).press('Enter');
    const content = page.getByRole('article', { name: 'Content' });
    await content.getByText('Chapter three.').waitFor();
    expect(await content.textContent()).toContain('[chunk 1 is missing');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'documents-read');

    await page.getByRole('link', { name: 'Show its memories' }).press('Enter');
    await page.getByText('2 memories').waitFor();
    expect(await page.locator('a[data-id]').count()).toBe(2);
    await page.locator('a[data-id]').first().press('Enter');
    await page.getByRole('link', { name: 'Read the whole document' }).press('Enter');
    await content.getByText('Chapter three.').waitFor();

    await page.getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByLabel('Type “docs/guide.md” to confirm').fill('docs/guide.md');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('Deleted: 2 memories').waitFor();
    await page.getByRole('link', { name: 'notes' }).waitFor();
    expect(await page.getByRole('link', { name: 'docs/guide.md' }).count()).toBe(0);
  });

  test('says how a document comes about while there is none', async () => {
    const app = await testApp();
    const { page } = await open(app, { as: 'member', path: PATH });

    await page.getByText('No documents yet').waitFor();

    expect(await accessibilityFaults(page)).toEqual([]);
    await takeScreenshots(page, 'documents-empty');
  });

  test('says that a document does not exist', async () => {
    const app = await testApp();
    const { page } = await open(app, {
      as: 'readonly',
      path: `${PATH}?document=none`,
      expected: ['404 GET /api/documents/none'],
    });

    await page.getByText('Not found').waitFor();

    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await takeScreenshots(page, 'documents-missing');
  });
});

async function store(app: TestApp): Promise<void> {
  const chunks = [
    ['Chapter one. Ships come in at high water.\n\n', 'docs/guide.md', 0, 3],
    ['Chapter three.\n\nThe harbour master has the last word.', 'docs/guide.md', 2, 3],
    ['One note.', 'notes', 0, 1],
  ] as const;
  for (const [content, documentId, chunkIndex, chunkTotal] of chunks) {
    await app.send('POST', '/api/memories', { content, metadata: { documentId, chunkIndex, chunkTotal } });
  }
}
