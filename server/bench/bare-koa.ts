import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import Koa from 'koa';

/**
 * The floor of every answer: Koa that reads a JSON body and sends one, as a
 * process of its own. It sends BENCH_ANSWER, or what it read.
 */
const answer: unknown = process.env.BENCH_ANSWER ? JSON.parse(process.env.BENCH_ANSWER) : undefined;

const app = new Koa();
app.use(async (ctx) => {
  const body = await json(ctx.req);
  ctx.body = answer ?? body;
});
const server = createServer(app.callback()).listen(0, '127.0.0.1', () => {
  console.log((server.address() as AddressInfo).port);
});
