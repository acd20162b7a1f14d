import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { lazily } from '../contract/lazily.js';
import { listFiles } from './list-files.js';
import { FOREVER, type Pages } from './pages.js';

/** Finds what the build wrote; works from sources and from the build. */
const require = createRequire(import.meta.url);

/** Paths of pages. The script shows the page of the path; the documents differ in what else they load. */
const PAGE = /^\/(?:sign-in|password-reset|welcome|o\/.+)?$/;
/** The name of a page in its path. */
const NAME = /^\/(?:o\/[^/]+\/)?([a-z-]+)/;
const ASSET = /^\/assets\/([^/]+)$/;

const folder = lazily(() => dirname(require.resolve('#dashboard/index.html')));

/** Returns the document of the page to accept an invitation. */
export const invitationDocument = lazily(() => readFileSync(join(folder(), 'invitation.html'), 'utf8'));

/** The files of the built dashboard, each read when it is first asked for. */
export function dashboardPages(): Pages {
  const pages = lazily(() => listFiles(folder(), 'no-cache'));
  const assets = lazily(() => listFiles(join(folder(), 'assets'), FOREVER));
  return {
    find(path, accept = '') {
      if (PAGE.test(path)) {
        if (!/\btext\/html\b/i.test(accept)) return undefined;
        const page = pages().get(`${NAME.exec(path)?.[1]}.html`) ?? pages().get('index.html');
        return page && { ...page(), isNegotiated: true };
      }
      const name = ASSET.exec(path)?.[1];
      return name === undefined ? undefined : assets().get(name)?.();
    },
  };
}
