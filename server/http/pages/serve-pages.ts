import { targetOf } from '../request/address/request-target.js';
import type { Middleware } from '../request/context.js';
import { PAGE_HEADERS, type Pages } from './pages.js';

/** Methods that read a page. */
const METHODS = ['GET', 'HEAD'];

/** Answers the paths of pages that browsers ask for. Everything else goes on. */
export function servePages(...sets: readonly Pages[]): Middleware {
  return (ctx, next) => {
    if (!METHODS.includes(ctx.method)) return next();
    const { accept } = ctx.req.headers;
    const { path } = targetOf(ctx);
    const file = sets.map((pages) => pages.find(path, accept)).find((found) => found !== undefined);
    if (!file) return next();
    ctx.set(PAGE_HEADERS);
    if ('movedTo' in file) {
      ctx.status = 308;
      ctx.set('Location', file.movedTo);
      return;
    }
    const { headers, body } = file.document.serve(ctx.req.headers);
    ctx.set(headers);
    if (file.isNegotiated) ctx.vary('Accept');
    ctx.status = body ? 200 : 304;
    if (!body) return;
    ctx.set('Content-Type', file.mediaType);
    ctx.body = body.bytes;
  };
}
