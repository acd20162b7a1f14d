import { expect, test } from 'vitest';
import { person } from '../../../testing/app/sign-in.js';
import { type TestApp, testApp } from '../../../testing/app/test-app.js';
import { describeInBrowser, PASSWORD } from '../../testing/describe-in-browser.js';

const PATH = '/o/:organization/memories';

describeInBrowser('the first rows of the memories page', (open) => {
  test('asks for the session and the first rows before its main script is there, each once', async () => {
    const app = await testApp();
    await fill(app);
    const { page } = await open(app, { as: 'member', path: '/sign-in' });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname + new URL(request.url()).search));
    const isSession = (path: string) => path === '/api/session';
    const isList = (path: string) => /^\/api\/organization\/memories\?.*preview=200/.test(path);
    const both = [isSession, isList].map((is) =>
      page.waitForRequest((request) => is(request.url().slice(`http://127.0.0.1:${app.port}`.length))),
    );
    await page.route('**/assets/index-*.js', async (route) => {
      await Promise.all(both);
      await route.continue();
    });

    const filter = encodeURIComponent('{"source":"chat"}');
    await page.goto(`${PATH.replace(':organization', app.organizationId)}?sort=oldest&filter=${filter}`);
    await page.getByRole('link', { name: 'Ana prefers' }).waitFor();
    await page.getByText('2 memories').waitFor();

    expect(asked.filter(isSession)).toHaveLength(1);
    expect(asked.filter(isList)).toHaveLength(1);
    // The other one finds the oldest memory, for the plot.
    expect(asked.filter((path) => path.startsWith('/api/organization/memories?'))).toHaveLength(2);
    expect(await page.locator('a[data-id]').first().textContent()).toContain('The queue drains');
  });

  test('have the chosen colours before the main script is there', async () => {
    const app = await testApp();
    const { page } = await open(app, { path: '/sign-in' });
    await page.evaluate(() => localStorage.setItem('memory-service.theme', 'dark'));
    const dark = page.locator('html[data-theme=dark]');
    await page.route('**/assets/index-*.js', async (route) => {
      await dark.waitFor({ state: 'attached' });
      await route.continue();
    });

    await page.goto('/sign-in');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();

    expect(await dark.count()).toBe(1);
  });

  test('have a skeleton in their place until the scripts are there', async () => {
    const app = await testApp();
    await fill(app);
    const { page } = await open(app, { as: 'member', path: '/sign-in' });
    const skeleton = page.getByRole('status').filter({ hasText: 'Loading' });
    await page.route('**/assets/index-*.js', async (route) => {
      await skeleton.waitFor();
      await route.continue();
    });

    await page.goto(PATH.replace(':organization', app.organizationId));
    await page.getByRole('link', { name: 'Ana prefers' }).waitFor();

    expect(await skeleton.count()).toBe(0);
  });

  test('reads the rows again after a sign-in that the address led to', async () => {
    const app = await testApp();
    await fill(app);
    const { email } = await person(app, 'member');
    const expected = ['401 GET /api/session', '401 GET /api/organization/memories'];
    const { page } = await open(app, { path: PATH, expected });

    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();

    await page.getByRole('link', { name: 'Deploys run' }).waitFor();
  });

  test('are few, with few elements each, and so are those after a jump', async () => {
    const app = await testApp();
    for (const batch of ['a', 'b']) {
      const items = Array.from({ length: 50 }, (_, at) => ({
        content: `Fact ${batch}${at} of the list.`,
        metadata: { kind: 'note', project: 'queue', source: 'chat' },
      }));
      await app.send('POST', '/api/memories/batch', { items });
    }
    const { page } = await open(app, { as: 'member', path: PATH });
    await page.getByRole('link', { name: 'Fact b49 of' }).waitFor();
    await page.getByText('100 memories').waitFor();

    const added = await page.evaluate(async () => {
      const list = document.querySelector('ul[aria-label="Memories"]');
      const scroller = list?.parentElement;
      if (!list || !scroller) return [];
      const firstChange = new Promise<MutationRecord[]>((resolve) => {
        new MutationObserver(resolve).observe(list, { childList: true });
      });
      scroller.scrollTop = 4_000;
      return (await firstChange).flatMap(({ addedNodes }) =>
        Array.from(addedNodes, (node) => (node as Element).querySelectorAll('*').length),
      );
    });

    // 12 rows fill the window, one is in view in part, and one more is ready on each side.
    expect(added.length).toBeGreaterThanOrEqual(12);
    expect(added.length).toBeLessThanOrEqual(15);
    expect(Math.max(...added)).toBeLessThanOrEqual(15);
    await page.waitForFunction(() => document.querySelectorAll('a[data-id]').length > 20);
  });
});

/** Stores three memories, the newest last. */
async function fill(app: TestApp): Promise<void> {
  await app.send('POST', '/api/memories', { content: 'The queue drains at noon.', metadata: { source: 'chat' } });
  await app.send('POST', '/api/memories', { content: 'Deploys run on Fridays.', metadata: { source: 'wiki' } });
  await app.send('POST', '/api/memories', { content: 'Ana prefers mornings.', metadata: { source: 'chat' } });
}
