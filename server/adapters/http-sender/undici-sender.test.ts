import { describe, expect, onTestFinished, test } from 'vitest';
import { httpReceiver, tcpReceiver } from '../../testing/processes/receiver.js';
import { UndiciSender, type UndiciSenderOptions } from './undici-sender.js';

const POST = {
  tenant: 'a tenant',
  headers: { 'content-type': 'application/json', 'x-service-event': 'memory.ingested' },
  body: '{"a":"é"}',
};

describe('UndiciSender', () => {
  test('posts the body and the headers unchanged', async () => {
    const receiver = await httpReceiver((response) => response.writeHead(204).end());

    const sent = await sender().post({ ...POST, url: `${receiver.url}?a=b` });

    expect(sent).toEqual({ status: 204 });
    expect(receiver.received).toMatchObject([
      { method: 'POST', path: '/hook?a=b', headers: POST.headers, body: POST.body },
    ]);
  });

  test.each([200, 202, 400, 404, 410, 500, 503])('returns the status %i', async (status) => {
    const receiver = await httpReceiver((response) => response.writeHead(status).end('said so'));

    expect(await sender().post({ ...POST, url: receiver.url })).toEqual({ status, answer: bytes('said so') });
  });

  test('returns the time of Retry-After', async () => {
    const receiver = await httpReceiver((response) => response.writeHead(429, { 'retry-after': '120' }).end());

    expect(await sender().post({ ...POST, url: receiver.url })).toEqual({ status: 429, retryAfter: '120' });
  });

  test.each([301, 302, 303, 307, 308])('does not follow a redirect with status %i', async (status) => {
    const target = await httpReceiver((response) => response.writeHead(200).end());
    const receiver = await httpReceiver((response) => response.writeHead(status, { location: target.url }).end());

    const sent = await sender().post({ ...POST, url: receiver.url });

    expect(sent).toEqual({ status });
    expect(target.received).toEqual([]);
  });

  test('times out if the endpoint accepts the request and never answers', async () => {
    const receiver = await httpReceiver(() => {});

    const sent = await sender({ timeoutMs: 100 }).post({ ...POST, url: receiver.url });

    expect(sent).toEqual({ failure: 'timeout' });
  });

  test('times out if the endpoint sends the response headers one byte at a time', async () => {
    const receiver = await tcpReceiver((socket) => {
      const drip = setInterval(() => socket.write('H'), 1_000);
      socket.write('H');
      socket.once('close', () => clearInterval(drip));
    });

    expect(await sender({ timeoutMs: 100 }).post({ ...POST, url: receiver.url })).toEqual({ failure: 'timeout' });
  });

  test('returns the status and what has arrived of a body that never ends', async () => {
    const receiver = await httpReceiver((response) => {
      response.writeHead(200).write('a');
    });

    expect(await sender().post({ ...POST, url: receiver.url })).toEqual({ status: 200, answer: bytes('a') });
  });

  test('returns the status and the start of a body that is cut off', async () => {
    const receiver = await httpReceiver((response) => {
      response.writeHead(200, { 'content-length': '100' }).write('a', () => response.destroy());
    });

    expect(await sender().post({ ...POST, url: receiver.url })).toEqual({ status: 200, answer: bytes('a') });
  });

  test('returns the first 1,000 bytes of a response of 10 MiB', async () => {
    const receiver = await httpReceiver((response) => response.writeHead(200).end(Buffer.alloc(10 * 1024 * 1024)));

    const sent = await sender().post({ ...POST, url: receiver.url });

    expect(sent).toEqual({ status: 200, answer: new Uint8Array(1_000) });
  });

  test('closes the connection if the response never ends', async () => {
    let hungUp: Promise<void> | undefined;
    const receiver = await httpReceiver((response) => {
      hungUp = new Promise((resolve) => response.once('close', resolve));
      response.writeHead(200);
      const more = () => {
        while (response.write(Buffer.alloc(64 * 1024)));
      };
      response.on('drain', more);
      more();
    });

    const sent = await sender().post({ ...POST, url: receiver.url });

    expect(sent).toEqual({ status: 200, answer: new Uint8Array(1_000) });
    await hungUp;
  });

  test('reports a reset or refused connection as `connection`', async () => {
    const resetting = await tcpReceiver((socket) => socket.resetAndDestroy());
    const closing = await tcpReceiver((socket) => socket.end());

    expect(await sender().post({ ...POST, url: resetting.url })).toEqual({ failure: 'connection' });
    expect(await sender().post({ ...POST, url: closing.url })).toEqual({ failure: 'connection' });
    expect(await sender().post({ ...POST, url: 'http://127.0.0.1:1/' })).toEqual({ failure: 'connection' });
  });

  test('reports an endpoint that does not speak TLS as `tls`', async () => {
    const receiver = await tcpReceiver((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n')));

    const sent = await sender().post({ ...POST, url: `https://127.0.0.1:${receiver.port}/` });

    expect(sent).toEqual({ failure: 'tls' });
  });

  test.each([
    ['that is not HTTP', '220 mail.example ESMTP\r\n'],
    ['with a head that is too long', `HTTP/1.1 200 OK\r\nx-filler: ${'a'.repeat(40_000)}\r\n\r\n`],
  ])('reports an answer %s as `protocol`', async (_, answer) => {
    const receiver = await tcpReceiver((socket) => socket.once('data', () => socket.end(answer)));

    expect(await sender().post({ ...POST, url: receiver.url })).toEqual({ failure: 'protocol' });
  });

  test('reports a host without an address as `unresolved`', async () => {
    const failing = sender({ resolve: async () => Promise.reject(new Error('ENOTFOUND')) });
    const empty = sender({ resolve: async () => [] });

    expect(await failing.post({ ...POST, url: 'https://nowhere.example/' })).toEqual({ failure: 'unresolved' });
    expect(await empty.post({ ...POST, url: 'https://nowhere.example/' })).toEqual({ failure: 'unresolved' });
  });

  test('opens a new connection for each request, so that each address is checked', async () => {
    let lookups = 0;
    const receiver = await httpReceiver((response) => response.writeHead(200).end());
    const resolving = sender({
      resolve: async () => {
        lookups += 1;
        return ['127.0.0.1'];
      },
    });

    for (let n = 0; n < 3; n++) await resolving.post({ ...POST, url: `http://hook.example:${receiver.port}/` });

    expect(lookups).toBe(3);
    expect(receiver.received.map(({ headers }) => headers.host)).toEqual(
      Array(3).fill(`hook.example:${receiver.port}`),
    );
  });
});

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function sender(options: Partial<UndiciSenderOptions> = {}): UndiciSender {
  const made = new UndiciSender({ allowLoopback: true, ...options });
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
}
