import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { collectBody } from './collect-body.js';

const RULES = { limit: 100, deadlineMs: 60_000, bytesPerSecond: 1_000_000, onReceived: () => undefined };

describe('collectBody', () => {
  test('returns the bytes in order', async () => {
    const request = incoming('one ', 'two');
    request.push(null);

    expect((await collectBody(request, RULES)).toString()).toBe('one two');
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

function incoming(...chunks: string[]): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  for (const chunk of chunks) request.push(chunk);
  return request;
}
