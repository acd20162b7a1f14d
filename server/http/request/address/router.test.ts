import Koa from 'koa';
import { describe, expect, test } from 'vitest';
import { MethodNotAllowedError } from '../../../errors.js';
import { listen } from '../../../testing/processes/listen.js';
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
    ['a%2523b', 'a%23b'],
    ['a%23b', 'a#b'],
    ['a;b', 'a;b'],
    ['{id}', '{id}'],
    [':id', ':id'],
    ['__proto__', '__proto__'],
    ['x'.repeat(2_000), 'x'.repeat(2_000)],
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

  test.each([
    '/api/memories/',
    '/api/memories//restore',
    '/api/memories/x/',
    '/api/memories/x/Restore',
    '/api/memories/x/%72estore',
    '/api/memories/x/versions/2/restore/',
    '/api/memories/x%2Frestore/y',
    '//memories/x',
    '/API/memories/x',
    '/api/%6Demories/x',
    '/a'.repeat(5_000),
  ])('knows no operation at %s', async (target) => {
    const find = await router();

    expect(await find('GET', target)).toEqual({ unknown: true });
  });
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
  const port = await listen(app.callback());
  return async (method, target) => {
    const answer = await fetch(`http://127.0.0.1:${port}${target}`, { method });
    return (await answer.json()) as Found;
  };
}
