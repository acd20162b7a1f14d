import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import Koa from 'koa';

/**
 * Runs the floor of every answer as a process: Koa that reads a JSON body and sends one. It sends BENCH_ANSWER, or the
 * body that it read.
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
