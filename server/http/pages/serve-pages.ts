import type { Middleware } from '../request/context.js';
import { type DashboardPages, PAGE_HEADERS } from './dashboard-pages.js';

/** Methods that read a page. */
const METHODS = ['GET', 'HEAD'];

/** Answers the paths of the dashboard that browsers ask for. Everything else goes on. */
export function servePages(pages: DashboardPages): Middleware {
  return (ctx, next) => {
    const file = METHODS.includes(ctx.method) ? pages.find(ctx.path, ctx.req.headers.accept) : undefined;
    if (!file) return next();
    const { headers, body } = file.document.serve(ctx.req.headers);
    ctx.set({ ...PAGE_HEADERS, ...headers });
    if (file.isNegotiated) ctx.vary('Accept');
    ctx.status = body ? 200 : 304;
    if (!body) return;
    ctx.set('Content-Type', file.mediaType);
    ctx.body = body.bytes;
  };
}
