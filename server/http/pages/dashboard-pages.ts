import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { lazily } from '../contract/lazily.js';
import { ServedDocument } from '../contract/served-document.js';

/** Finds what the build wrote; works from sources and from the build. */
const require = createRequire(import.meta.url);

/** Paths of pages. The script shows the page of the path; the documents differ in what else they load. */
const PAGE = /^\/(?:sign-in|password-reset|welcome|o\/.+)?$/;
/** The name of a page in its path. */
const NAME = /^\/(?:o\/[^/]+\/)?([a-z-]+)/;
const ASSET = /^\/assets\/([^/]+)$/;
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** The name of an asset has a hash of its content. */
const FOREVER = 'public, max-age=31536000, immutable';

export interface PageFile {
  document: ServedDocument;
  mediaType: string;
  /** True if other callers get another answer at the same path. */
  isNegotiated: boolean;
}

/** The files of the built dashboard, each read when it is first asked for. */
export interface DashboardPages {
  /** Returns the file at a path. Pages are only for callers that accept HTML. */
  find(path: string, accept: string | undefined): PageFile | undefined;
}

/** Headers of every file of the dashboard. Its pages load nothing from elsewhere, and no script makes markup of text. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

const folder = lazily(() => dirname(require.resolve('#dashboard/index.html')));

/** Returns the document of the page to accept an invitation. */
export const invitationDocument = lazily(() => readFileSync(join(folder(), 'invitation.html'), 'utf8'));

export function dashboardPages(): DashboardPages {
  const pages = lazily(() => listFiles(folder(), { ending: '.html', cacheControl: 'no-cache', isNegotiated: true }));
  const assets = lazily(() => listFiles(join(folder(), 'assets'), { cacheControl: FOREVER, isNegotiated: false }));
  return {
    find(path, accept = '') {
      if (PAGE.test(path)) {
        if (!/\btext\/html\b/i.test(accept)) return undefined;
        const page = pages().get(`${NAME.exec(path)?.[1]}.html`) ?? pages().get('index.html');
        return page?.();
      }
      const name = ASSET.exec(path)?.[1];
      return name === undefined ? undefined : assets().get(name)?.();
    },
  };
}

interface Serving {
  /** Only files with this ending are served. Default: all. */
  ending?: string;
  cacheControl: string;
  isNegotiated: boolean;
}

/** Names the files of a folder, so that no other file can be read. */
function listFiles(
  from: string,
  { ending = '', cacheControl, isNegotiated }: Serving,
): ReadonlyMap<string, () => PageFile> {
  const names = readdirSync(from).filter((name) => name.endsWith(ending));
  return new Map(
    names.map((name) => [
      name,
      lazily(() => ({
        document: new ServedDocument(readFileSync(join(from, name)), cacheControl),
        mediaType: MEDIA_TYPES[extname(name)] ?? 'application/octet-stream',
        isNegotiated,
      })),
    ]),
  );
}
