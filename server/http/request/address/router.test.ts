import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MethodNotAllowedError } from '../../../errors.js';
import { loadContract } from '../../contract/contract.js';
import type { State } from '../context.js';
import { encodedPaths, operationRouter } from './router.js';

const { operations } = loadContract();

interface Found {
  id?: string;
  path?: Record<string, string>;
  query?: string;
  /** Methods of the path, if the request has another one. */
  allowed?: string;
  /** Set if no path matches. */
  unknown?: boolean;
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

  test.each([
    ['DELETE', '/api/memories/batch', 'POST'],
    ['POST', '/api/memories/x', 'GET, HEAD, PUT, DELETE, PATCH'],
    ['PUT', '/api/memories/x/restore', 'POST'],
  ])('names the methods of a path to %s %s', async (method, target, allowed) => {
    const find = await router();

    expect(await find(method, target)).toEqual({ allowed });
  });

  test.each(['/api/memories/', '/api/memories//restore', '/api/memories/x/', '/API/memories/x', '/api/%6Demories/x'])(
    'knows no operation at %s',
    async (target) => {
      const find = await router();

      expect(await find('GET', target)).toEqual({ unknown: true });
    },
  );
});

/** Sends a request to a router that answers with its match. */
async function router(): Promise<(method: string, target: string) => Promise<Found>> {
  const app = new Koa<State>();
  app.use(async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (!(error instanceof MethodNotAllowedError)) throw error;
      ctx.body = JSON.stringify({ allowed: error.headers.Allow });
    }
  });
  const found = operationRouter(operations, async (ctx, { operation: { id }, path, query }) => {
    ctx.body = JSON.stringify({ id, path, query });
  });
  app.use(encodedPaths());
  app.use(found);
  app.use((ctx) => {
    ctx.body = JSON.stringify({ unknown: true });
  });
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
