import type { ServedDocument } from '../contract/served-document.js';

export const HTML = 'text/html; charset=utf-8';
/** For a file whose name has a hash of its content. */
export const FOREVER = 'public, max-age=31536000, immutable';

export interface PageFile {
  document: ServedDocument;
  mediaType: string;
  /** True if other callers get another answer at the same path. */
  isNegotiated: boolean;
}

/** A set of files for browsers. */
export interface Pages {
  /** Returns the file at a path, or the path that replaces it. */
  find(path: string, accept: string | undefined): PageFile | { movedTo: string } | undefined;
}

/** Headers of every file. Pages load nothing from elsewhere, and no script makes markup of text. */
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
