import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { extendDigest, FIRST_DIGEST } from '../../server/domain/memory/erasure.js';
import { MemoryClient, MemoryConnectionError, UnauthenticatedError } from '../index.js';
import { StandInService } from './index.js';

const BASE_URL = 'http://memory.test';
const standIn = new StandInService({ baseUrl: BASE_URL, token: 'msk_test' });
const network = setupServer(...standIn.handlers);

beforeAll(() => network.listen({ onUnhandledRequest: 'bypass' }));
afterEach(() => standIn.reset());
afterAll(() => network.close());

const client = (options = {}) =>
  new MemoryClient({ baseUrl: BASE_URL, token: 'msk_test', maxRetryDelayMs: 1, ...options });

describe('the stand-in', () => {
  test('requires the token of its options', async () => {
    await expect(client({ token: 'msk_other' }).recent()).rejects.toThrow(UnauthenticatedError);
    await expect(client({ token: '' }).recent()).rejects.toThrow(UnauthenticatedError);
  });

  test('lists the stored memories', async () => {
    const { id } = await client().ingest({ content: 'a' });
    await client().delete((await client().ingest({ content: 'b' })).id);

    expect(standIn.memories).toMatchObject([{ id, content: 'a' }]);
  });

  test('fails on request, and the client retries', async () => {
    standIn.failNext('connection', { status: 429, retryAfter: 0 });

    expect((await client().ingest({ content: 'a' })).outcome).toBe('created');
    expect(standIn.memories).toHaveLength(1);
  });

  test('can lose the response to a request that it processed', async () => {
    standIn.failNext('answer');

    expect((await client().ingest({ content: 'a' })).outcome).toBe('deduplicated');
  });

  test('stores a distinct memory without a key only once if its response is lost', async () => {
    standIn.failNext('answer', 'answer', 'answer');

    const lost = client().ingest({ content: 'a', dedupe: 'off' });
    await expect(lost).rejects.toThrow(MemoryConnectionError);
    const batch = client().ingestBatch({ items: [{ content: 'b' }, { content: 'c', dedupe: 'off' }] });
    await expect(batch).rejects.toThrow(MemoryConnectionError);
    const keyed = await client().ingest({ content: 'a', externalKey: 'k', dedupe: 'off' });

    expect(keyed.outcome).toBe('deduplicated');
    expect(standIn.memories.map(({ content }) => content)).toEqual(['a', 'b', 'c', 'a']);
  });

  test('can fail permanently', async () => {
    standIn.failNext('connection', 'connection');

    await expect(client({ maxRetries: 1 }).recent()).rejects.toThrow(MemoryConnectionError);
  });

  test('erases a subject, and answers with the receipt when it is asked again', async () => {
    const { id } = await client().ingest({ content: 'Ana prefers mornings.', subjectKey: 'ana' });
    await client().update(id, { content: 'Ana prefers evenings.' });
    await client().ingest({ content: 'Deploys run on Fridays.' });

    const started = await client().subjects.erase({ subjectKey: 'ana' });
    const done = await client().subjects.erasure(started.id);

    expect(started).toMatchObject({ status: 'running', subjectKey: 'ana', counts: { memories: 0 } });
    expect(done).toMatchObject({ status: 'done', counts: { memories: 1, versions: 1 } });
    expect(done).toMatchObject({ digest: extendDigest(FIRST_DIGEST, id) });
    expect(done).not.toHaveProperty('subjectKey');
    expect(standIn.memories.map(({ content }) => content)).toEqual(['Deploys run on Fridays.']);
    const { changes } = await client().changes({ since: '2020-01-01', includeDeleted: true });
    expect(changes).toContainEqual(expect.objectContaining({ id, change: 'deleted' }));
    await expect(client().subjects.erasure('unknown-1')).rejects.toMatchObject({ status: 404 });
  });

  test.each<[string, (client: MemoryClient) => Promise<unknown>]>([
    ['of management', ({ usage }) => usage.get()],
    ['of a session', ({ browse }) => browse.list()],
    ['without a credential', ({ session }) => session.signIn({ email: 'ana@example.com', password: 'a long phrase' })],
  ])('reports operations %s, which it does not have', async (_, call) => {
    const message = expect.stringMatching(/^the stand-in does not have (GET|POST) \/api\//);
    await expect(call(client())).rejects.toMatchObject({ status: 501, code: 'not_in_stand_in', message });
  });
});
