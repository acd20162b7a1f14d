import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadContract } from '../../contract/contract.js';
import type { State } from '../context.js';
import { literalPaths, operationRouter } from './router.js';

const { operations } = loadContract();

interface Found {
  id: string;
  path: Record<string, string>;
  query: string;
}

describe('the router', () => {
  test('matches every operation of the document by its path', async () => {
    const find = await router();

    const found = await Promise.all(operations.map(({ method, path }) => find(method, path.replace('{id}', 'x'))));

    expect(found.map(({ id }) => id)).toEqual(operations.map(({ id }) => id));
  });

  test.each([
    ['a%2Fb', 'a/b'],
    ['%C3%A4', 'ä'],
    ['a+b', 'a+b'],
    ['%62atch', 'batch'],
    ['a.b:c', 'a.b:c'],
    ['a%00b', 'a%00b'],
  ])('reads the parameter %s as %s', async (sent, read) => {
    const find = await router();

    expect(await find('GET', `/api/memories/${sent}?limit=%31`)).toEqual({
      id: 'getMemory',
      path: { id: read },
      query: 'limit=%31',
    });
  });
});

/** Sends a request to a router that answers with its match. */
async function router(): Promise<(method: string, target: string) => Promise<Found>> {
  const app = new Koa<State>();
  const found = operationRouter(operations, async (ctx, { operation: { id }, path, query }) => {
    ctx.body = JSON.stringify({ id, path, query });
  });
  app.use(literalPaths());
  app.use(found);
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return async (method, target) => {
    const answer = await fetch(`http://127.0.0.1:${port}${target}`, { method });
    return (await answer.json()) as Found;
  };
}
