import { once } from 'node:events';
import { Agent, createServer, IncomingMessage, request } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { collectBody } from './collect-body.js';

const RULES = { limit: 100, deadlineMs: 60_000, bytesPerSecond: 1_000_000, onReceived: () => undefined };

describe('collectBody', () => {
  test('returns the bytes in order', async () => {
    const request = incoming('one ', 'two');
    request.push(null);

    expect((await collectBody(request, RULES)).toString()).toBe('one two');
  });

  test('reads a body that has arrived as a whole at once, by the same rules', async () => {
    const taken: string[] = [];
    const rules = {
      ...RULES,
      onReceived: (bytes: number) => void taken.push(`${bytes} bytes`),
      shape: { take: (bytes: Buffer) => void taken.push(bytes.toString()) },
    };
    const arrived = (...chunks: string[]) => {
      const request = incoming(...chunks);
      request.push(null);
      request.complete = true;
      return request;
    };

    expect((await collectBody(arrived('one ', 'two'), rules)).toString()).toBe('one two');
    expect((await collectBody(arrived(), RULES)).length).toBe(0);
    await expect(collectBody(arrived('x'.repeat(101)), RULES)).rejects.toMatchObject({ status: 413 });
    expect(taken).toEqual(['7 bytes', 'one two']);
  });

  test('rejects a body of more bytes than the limit, announced or not', async () => {
    const announced = incoming('a');
    announced.headers['content-length'] = '101';

    await expect(collectBody(announced, RULES)).rejects.toMatchObject({ code: 'payload_too_large' });
    await expect(collectBody(incoming('x'.repeat(101)), RULES)).rejects.toMatchObject({ status: 413 });
  });

  test('counts values as bytes arrive, and stops at the first limit', async () => {
    const taken: string[] = [];
    const shape = {
      take: (bytes: Buffer) => {
        taken.push(bytes.toString());
        if (taken.length === 2) throw new Error('too much');
      },
    };

    await expect(collectBody(incoming('one', 'two'), { ...RULES, shape })).rejects.toThrow('too much');

    expect(taken).toEqual(['one', 'two']);
  });

  test('ends at the deadline if the body is silent or too slow', async () => {
    const rules = { ...RULES, deadlineMs: 5 };

    await expect(collectBody(incoming(), rules)).rejects.toThrow(expect.objectContaining({ name: 'BodyTimeoutError' }));
    await expect(collectBody(incoming('slow'), rules)).rejects.toThrow(
      expect.objectContaining({ name: 'BodyTimeoutError' }),
    );
  });

  test('extends the deadline with the bytes received', async () => {
    const request = incoming('x'.repeat(50));
    const reading = collectBody(request, { ...RULES, deadlineMs: 1, bytesPerSecond: 1 });
    setTimeout(() => request.push(null), 20);

    expect((await reading).length).toBe(50);
  });

  test('ends with the error of onReceived', async () => {
    const onReceived = (bytes: number) => {
      if (bytes > 3) throw new Error('too many');
    };

    await expect(collectBody(incoming('abc', 'd'), { ...RULES, onReceived })).rejects.toThrow('too many');
  });

  test('ends when the connection closes', async () => {
    const request = incoming('abc');
    const reading = collectBody(request, RULES);
    request.destroy();

    await expect(reading).rejects.toThrow(expect.objectContaining({ name: 'ClientGoneError' }));
  });
});

test('bodies of any size can follow each other on one connection', async () => {
  const sizes = [0, 1, 16_384, 60_000, 200_000, 0, 1_000_000, 1];
  const sockets = new Set<Socket>();
  const server = createServer(async (req, res) => {
    sockets.add(req.socket);
    // The first part of a body arrives with its headers, unless it is large.
    await Promise.resolve();
    const body = await collectBody(req, { ...RULES, limit: 2_000_000 });
    res.end(String(body.length));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;

  const lengths: number[] = [];
  for (const size of sizes) {
    const sent = request({ agent, port, method: 'POST', headers: { 'content-length': size } });
    sent.end('x'.repeat(size));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    lengths.push(Number(await text(answer)));
  }

  expect(lengths).toEqual(sizes);
  expect(sockets.size).toBe(1);
});

function incoming(...chunks: string[]): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  for (const chunk of chunks) request.push(chunk);
  return request;
}
