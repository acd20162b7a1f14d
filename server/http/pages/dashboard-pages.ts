import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { lazily } from '../contract/lazily.js';
import { ServedDocument } from '../contract/served-document.js';
import { listFiles } from './list-files.js';
import { FOREVER, HTML, type Pages } from './pages.js';

/** Finds what the build wrote; works from sources and from the build. */
const require = createRequire(import.meta.url);

/** Paths of pages. All have the same document; its script shows the page of the path. */
const PAGE = /^\/(?:sign-in|password-reset|welcome|o\/.+)?$/;
const ASSET = /^\/assets\/([^/]+)$/;

/** Returns the document of all pages. */
export const pageDocument = lazily(() => readFileSync(require.resolve('#dashboard/index.html'), 'utf8'));

/** The files of the built dashboard, each read when it is first asked for. */
export function dashboardPages(): Pages {
  const page = lazily(() => ({
    document: new ServedDocument(pageDocument(), 'no-cache'),
    mediaType: HTML,
    isNegotiated: true,
  }));
  const assets = lazily(() => listFiles(join(dirname(require.resolve('#dashboard/index.html')), 'assets'), FOREVER));
  return {
    find(path, accept = '') {
      if (PAGE.test(path)) return /\btext\/html\b/i.test(accept) ? page() : undefined;
      const name = ASSET.exec(path)?.[1];
      return name === undefined ? undefined : assets().get(name)?.();
    },
  };
}
