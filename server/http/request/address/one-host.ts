import { ServiceError } from '../../../errors.js';
import type { Middleware } from '../context.js';

/** Rejects a request with several Host headers: a proxy may have used another one than the service. */
export function oneHost(): Middleware {
  return (ctx, next) => {
    const { rawHeaders } = ctx.req;
    let hosts = 0;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      if (rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
    }
    if (hosts > 1) throw new SeveralHostsError();
    return next();
  };
}

class SeveralHostsError extends ServiceError {
  override name = 'SeveralHostsError';
  readonly status = 400;
  override readonly headers = { Connection: 'close' };

  constructor() {
    super('Send one Host header');
  }
}
