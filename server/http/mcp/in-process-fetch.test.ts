import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { InProcessRequest, type Surface } from '../request/caller/in-process.js';
import { inProcessFetch } from './in-process-fetch.js';

const SURFACE: Surface = { source: 'mcp', ip: '203.0.113.7', headers: { authorization: 'Bearer outside' } };

/** Answers with the request, as a service would see it. */
const echo: RequestListener = async (req, res) => {
  const body = await text(req);
  const { authorization, 'x-organization-id': organization, 'content-length': length } = req.headers;
  const seen = {
    method: req.method,
    url: req.url,
    ip: req.socket.remoteAddress,
    authorization,
    organization,
    length,
    body,
  };
  res.setHeader('Content-Type', 'application/json');
  res.statusCode = 201;
  res.end(JSON.stringify(seen));
};

describe('a request inside the process', () => {
  test('arrives like one from outside, with the address of the caller', async () => {
    const fetch = inProcessFetch(echo, SURFACE);

    const answer = await fetch('http://memory.internal/api/memories?limit=1', { method: 'POST', body: 'täxt' });

    expect(answer.status).toBe(201);
    expect(answer.headers.get('Content-Type')).toBe('application/json');
    expect(JSON.parse(await answer.text())).toEqual({
      method: 'POST',
      url: '/api/memories?limit=1',
      ip: '203.0.113.7',
      authorization: 'Bearer outside',
      length: '5',
      body: 'täxt',
    });
  });

  test('has the headers of the surface, not its own', async () => {
    const surface: Surface = { ...SURFACE, headers: { ...SURFACE.headers, 'x-organization-id': undefined } };

    const answer = await inProcessFetch(echo, surface)('http://memory.internal/', {
      headers: { authorization: 'Bearer of the environment', 'x-organization-id': 'of the environment' },
    });

    const seen = JSON.parse(await answer.text()) as object;
    expect(seen).toMatchObject({ authorization: 'Bearer outside' });
    expect(seen).not.toHaveProperty('organization');
  });

  test('is recognized as one', async () => {
    let isOne = false;
    const fetch = inProcessFetch((req, res) => {
      isOne = req instanceof InProcessRequest && req.surface === SURFACE;
      res.end();
    }, SURFACE);

    await fetch('http://memory.internal/');

    expect(isOne).toBe(true);
  });

  test('gets its answer in one piece, though it was written in several', async () => {
    const fetch = inProcessFetch((_req, res) => {
      res.write('one ');
      res.write(Buffer.from('two '));
      res.end('three');
    }, SURFACE);

    expect(await (await fetch('http://memory.internal/')).text()).toBe('one two three');
  });

  test('emits its end', async () => {
    const heard: string[] = [];
    const fetch = inProcessFetch((_req, res) => {
      res.once('close', () => heard.push(`close, ${res.writableFinished}`));
      res.statusCode = 204;
      res.end();
    }, SURFACE);

    const answer = await fetch('http://memory.internal/');
    await new Promise(setImmediate);

    expect(answer.status).toBe(204);
    expect(heard).toEqual(['close, true']);
  });

  test('fails if the answer is aborted', async () => {
    const fetch = inProcessFetch((_req, res) => {
      res.destroy(new Error('broken'));
    }, SURFACE);

    await expect(fetch('http://memory.internal/')).rejects.toThrow('broken');
  });

  test('is not awaited after its caller left', async () => {
    const leaving = new AbortController();
    const fetch = inProcessFetch(() => leaving.abort(new Error('left')), SURFACE);

    await expect(fetch('http://memory.internal/', { signal: leaving.signal })).rejects.toThrow('left');
    await expect(fetch('http://memory.internal/', { signal: leaving.signal })).rejects.toThrow('left');
  });

  test('is closed when its caller leaves, and accepts no answer afterwards', async () => {
    const leaving = new AbortController();
    const heard: string[] = [];
    const fetch = inProcessFetch((_req, res) => {
      res.once('finish', () => heard.push('finish'));
      res.once('close', () => {
        heard.push(`close, ${res.writableFinished}`);
        res.end('late');
      });
      leaving.abort(new Error('left'));
    }, SURFACE);

    await expect(fetch('http://memory.internal/', { signal: leaving.signal })).rejects.toThrow('left');
    await new Promise(setImmediate);

    expect(heard).toEqual(['close, false']);
  });
});
