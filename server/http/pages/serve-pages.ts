import type { Middleware } from '../request/context.js';
import type { DashboardPages } from './dashboard-pages.js';

/** Methods that read a page. */
const METHODS = ['GET', 'HEAD'];

/** Headers of every file of the dashboard. Its pages load nothing from elsewhere, and no script makes markup of text. */
const HEADERS = {
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

/** Answers the paths of the dashboard that browsers ask for. Everything else goes on. */
export function servePages(pages: DashboardPages): Middleware {
  return (ctx, next) => {
    const file = METHODS.includes(ctx.method) ? pages.find(ctx.path, ctx.req.headers.accept) : undefined;
    if (!file) return next();
    const { headers, body } = file.document.serve(ctx.req.headers);
    ctx.set({ ...HEADERS, ...headers });
    if (file.isNegotiated) ctx.vary('Accept');
    ctx.status = body ? 200 : 304;
    if (!body) return;
    ctx.set('Content-Type', file.mediaType);
    ctx.body = body.bytes;
  };
}
