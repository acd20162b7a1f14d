import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import rawBody from 'raw-body';

/** The floor of every answer: Koa that reads a JSON body and sends one back, as a process of its own. */
const app = new Koa();
app.use(async (ctx) => {
  const text = await rawBody(ctx.req, { encoding: 'utf-8' });
  ctx.body = text === '' ? {} : JSON.parse(text);
});
const server = createServer(app.callback()).listen(0, '127.0.0.1', () => {
  console.log((server.address() as AddressInfo).port);
});
