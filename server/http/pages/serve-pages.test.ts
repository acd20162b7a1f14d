import { describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../testing/app/test-app.js';

const HTML = 'text/html,application/xhtml+xml,*/*;q=0.8';
const NOT_FOUND = { error: 'Not found' };

describe('the pages of the dashboard', () => {
  test.each([
    '/',
    '/sign-in',
    '/password-reset',
    '/welcome',
    '/o/an-organization',
    '/o/an-organization/memories/an-id?from=link',
  ])('are documents with one script at %s, for callers that accept HTML', async (path) => {
    const app = await testApp();

    const answer = await read(app, path, { accept: HTML });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await answer.text()).toContain('<div id="dashboard">');
  });

  test.each([
    ['/o/an-organization/memories', 'memories-page'],
    ['/o/an-organization/memories/an-id', 'memories-page'],
    ['/o/an-organization/api-keys', 'api-keys-page'],
    ['/sign-in', 'sign-in-page'],
    ['/invitations/accept/a-token', 'invitation-page'],
  ])('name at %s the script of the page, so that it loads with the first one', async (path, name) => {
    const app = await testApp();

    const document = await (await read(app, path, { accept: HTML })).text();

    const pages = Array.from(document.matchAll(/"modulepreload" [^>]*\/([\w-]+-page)-/g), ([, page]) => page);
    expect(pages).toEqual([name]);
  });

  test('are the document without the script of a page at other paths', async () => {
    const app = await testApp();

    const documents = await Promise.all(
      ['/', '/o/an-organization', '/o/an-organization/elsewhere'].map((path) => read(app, path, { accept: HTML })),
    );

    for (const document of documents) expect(await document.text()).not.toMatch(/-page-/);
  });

  test('are a 404 in JSON to other callers, and at other methods and paths', async () => {
    const app = await testApp();

    const answers = await Promise.all([
      read(app, '/'),
      read(app, '/', { accept: 'application/json' }),
      read(app, '/', { accept: HTML }, 'POST'),
      read(app, '/o/', { accept: HTML }),
      read(app, '/sign-in/', { accept: HTML }),
      read(app, '/elsewhere', { accept: HTML }),
    ]);

    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual(NOT_FOUND);
    }
  });

  test('load nothing from elsewhere, and no script makes markup of text', async () => {
    const app = await testApp();

    const { headers } = await read(app, '/', { accept: HTML });

    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
        "trusted-types 'none'",
    );
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('vary')).toBe('Accept-Encoding, Accept');
  });

  test('are revalidated: a browser that has the document gets no body', async () => {
    const app = await testApp();
    const { headers } = await read(app, '/', { accept: HTML });

    const again = await read(app, '/o/an-organization', { accept: HTML, 'if-none-match': headers.get('etag') ?? '' });

    expect(headers.get('cache-control')).toBe('no-cache');
    expect(again.status).toBe(304);
  });
});

describe('an asset', () => {
  test('may be kept forever, and has the headers of the pages', async () => {
    const app = await testApp();
    const page = await read(app, '/', { accept: HTML });
    const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text()) ?? [];

    const { status, headers } = await read(app, script);

    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(headers.get('content-security-policy')).toBe(page.headers.get('content-security-policy'));
  });

  test.each(['/assets/', '/assets/missing.js', '/assets/..%2Findex.html', '/index.html'])(
    'is none at %s',
    async (path) => {
      const app = await testApp();

      const answer = await read(app, path, { accept: HTML });

      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual(NOT_FOUND);
    },
  );
});

describe('the documentation', () => {
  test.each([
    ['/docs/', 'text/html; charset=utf-8', '<title>Documentation'],
    ['/docs/sdk.html', 'text/html; charset=utf-8', '<title>The TypeScript client'],
    ['/docs/api-memories.html', 'text/html; charset=utf-8', '<h2 id="ingestMemory">'],
  ])('has a page at %s for every caller, which is revalidated', async (path, type, text) => {
    const app = await testApp();

    const answer = await readText(app, path);
    const { status, headers } = answer;
    const again = await read(app, path, { 'if-none-match': headers.get('etag') ?? '' });

    expect(status).toBe(200);
    expect(answer.text).toContain(text);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(again.status).toBe(304);
  });

  test('is at /docs/, since its links are relative', async () => {
    const app = await testApp();

    const { status, headers } = await fetch(`http://127.0.0.1:${app.port}/docs`, { redirect: 'manual' });

    expect(status).toBe(308);
    expect(headers.get('location')).toBe('/docs/');
  });

  test('has assets that may be kept forever', async () => {
    const app = await testApp();
    const { text } = await readText(app, '/docs/');
    const assets = Array.from(text.matchAll(/"(assets\/[^"]+)"/g), ([, address = '']) => address);

    for (const address of new Set(assets)) {
      const { status, headers } = await read(app, `/docs/${address}`);
      expect(status, address).toBe(200);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('content-type')).not.toBe('application/octet-stream');
    }
    expect(assets.length).toBeGreaterThan(3);
  });

  test.each([
    '/docs/missing.html',
    '/docs/assets/',
    '/docs/assets/missing.js',
    '/docs/..%2Fdashboard/index.html',
    '/docsx',
  ])('is a 404 at %s', async (path) => {
    const answer = await read(await testApp(), path, { accept: HTML });

    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual(NOT_FOUND);
  });
});

async function readText(app: TestApp, path: string): Promise<Pick<Response, 'status' | 'headers'> & { text: string }> {
  const response = await read(app, path);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function read(
  { port }: TestApp,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
}
