import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CommandLine } from '../testing/command-line.js';
import Add from './add.js';
import Doctor from './doctor.js';
import Export from './export.js';
import Import from './import.js';
import Search from './search.js';

const BASE_URL = 'http://memory.test';
const network = setupServer();

beforeAll(() => network.listen({ onUnhandledRequest: 'error' }));
afterAll(() => network.close());

async function commandLine(): Promise<CommandLine> {
  network.resetHandlers();
  return CommandLine.create(['--base-url', BASE_URL, '--token', 'msk_of_a_test']);
}

function refusal(status: number, code: string, retryAfter: number) {
  const body = { error: `refused with ${code}`, code };
  return HttpResponse.json(body, {
    status,
    headers: { 'Retry-After': String(retryAfter), 'X-Request-Id': 'request-1' },
  });
}

test.each([
  ['a time that is none', ['a', '--since', 'yesterday'], '"yesterday" is not a time: use ISO 8601'],
  ['a filter that is not JSON', ['a', '--filter', '{a'], '--filter: "{a" is not JSON'],
  ['a filter that is no object', ['a', '--filter', '[]'], '--filter: "[]" is not a JSON object'],
])('rejects %s in one line, before anything is sent', async (_name, argv, message) => {
  const line = await commandLine();

  const refused = await line.run(Search, argv);

  expect(refused).toMatchObject({ exitCode: 2, error: { message: expect.stringContaining(message) } });
  expect(refused.error?.message).not.toContain('\n');
});

test('rejects an address that is none', async () => {
  const line = await CommandLine.create([]);

  const refused = await line.run(Search, ['a', '--base-url', 'localhost:8080', '--token', 'msk_of_a_test']);

  expect(refused).toMatchObject({ exitCode: 2, error: { message: expect.stringContaining('begins with http://') } });
});

test('a token that is not accepted is reported with the command that replaces it', async () => {
  const line = await commandLine();
  network.use(http.post(`${BASE_URL}/api/memories/search`, () => refusal(401, 'unauthenticated', 1)));

  const refused = await line.run(Search, ['a']);

  expect(refused).toMatchObject({ exitCode: 4, error: { message: expect.stringContaining('run "memory login"') } });
});

test.each([
  [429, 'rate_limited'],
  [503, 'service_unavailable'],
])('a %i with a long Retry-After is reported immediately and not retried', async (status, code) => {
  const line = await commandLine();
  let sent = 0;
  network.use(
    http.post(`${BASE_URL}/api/memories`, () => {
      sent += 1;
      return refusal(status, code, 40);
    }),
  );

  const refused = await line.run(Add, ['Ana likes tea.']);

  expect(refused).toMatchObject({ exitCode: 5, error: { code, message: `refused with ${code} (retry in 40 s)` } });
  expect(sent).toBe(1);
});

test('a rejection with a short Retry-After is retried', async () => {
  const line = await commandLine();
  let sent = 0;
  network.use(
    http.post(`${BASE_URL}/api/memories/search`, () => {
      sent += 1;
      return sent === 1
        ? refusal(503, 'service_unavailable', 0)
        : HttpResponse.json({ results: [], meta: { count: 0, mode: 'vector' } });
    }),
  );

  const found = await line.run(Search, ['tea']);

  expect(found).toMatchObject({ exitCode: 0, stderr: 'nothing found\n' });
  expect(sent).toBe(2);
});

test('a cut connection is retried, and then reported with its address', async () => {
  const line = await commandLine();
  let sent = 0;
  network.use(
    http.post(`${BASE_URL}/api/memories`, () => {
      sent += 1;
      return HttpResponse.error();
    }),
  );

  const cut = await line.run(Add, ['Ana likes tea.']);

  expect(cut.exitCode).toBe(5);
  expect(cut.error?.message).toContain(`cannot reach ${BASE_URL}`);
  expect(sent).toBe(3);
});

test('no error message contains the token', async () => {
  const line = await commandLine();
  network.use(http.all('*', () => HttpResponse.json({ error: 'no', code: 'unauthenticated' }, { status: 401 })));

  const runs = [
    await line.run(Add, ['x', '--json']),
    await line.run(Search, ['x']),
    await line.run(Export, []),
    await line.run(Doctor, []),
  ];

  for (const { stdout, stderr, error } of runs) {
    expect(`${stdout}${stderr}${error?.stack}`).not.toContain('msk_of_a_test');
  }
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([4, 4, 4, 1]);
});

test('a response that is not from the service is an error', async () => {
  const line = await commandLine();
  network.use(http.all('*', () => HttpResponse.html('<p>Sign in to this network</p>')));

  const added = await line.run(Add, ['Ana likes tea.']);
  const imported = await line.run(Import, ['package.json']);

  expect(added.exitCode).not.toBe(0);
  expect(imported.exitCode).not.toBe(0);
});
