import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { lazily } from '../contract/lazily.js';
import { ServedDocument } from '../contract/served-document.js';

/** Finds what the build wrote; works from sources and from the build. */
const require = createRequire(import.meta.url);

/** Paths of pages. All have the same document; its script shows the page of the path. */
const PAGE = /^\/(?:sign-in|password-reset|welcome|o\/.+)?$/;
const ASSET = /^\/assets\/([^/]+)$/;
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
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

/** Returns the document of all pages. */
export const pageDocument = lazily(() => readFileSync(require.resolve('#dashboard/index.html'), 'utf8'));

export function dashboardPages(): DashboardPages {
  const page = lazily(() => ({
    document: new ServedDocument(pageDocument(), 'no-cache'),
    mediaType: 'text/html; charset=utf-8',
    isNegotiated: true,
  }));
  const assets = lazily(() => listAssets(join(dirname(require.resolve('#dashboard/index.html')), 'assets')));
  return {
    find(path, accept = '') {
      if (PAGE.test(path)) return /\btext\/html\b/i.test(accept) ? page() : undefined;
      const name = ASSET.exec(path)?.[1];
      return name === undefined ? undefined : assets().get(name)?.();
    },
  };
}

/** Names the files of a folder, so that no other file can be read. */
function listAssets(folder: string): ReadonlyMap<string, () => PageFile> {
  return new Map(
    readdirSync(folder).map((name) => [
      name,
      lazily(() => ({
        document: new ServedDocument(readFileSync(join(folder, name)), FOREVER),
        mediaType: MEDIA_TYPES[extname(name)] ?? 'application/octet-stream',
        isNegotiated: false,
      })),
    ]),
  );
}
