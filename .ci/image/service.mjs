import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 250;
const READY_WITHIN_POLLS = 240;

/**
 * Does with an image what docs/deploy.md says: makes an organization, starts the server, stores and finds a memory, checks
 * and backs up the data, stops, and starts again.
 *
 * @param image `run(settings, ...command)`, `start(settings)`, `inside(settings, ...command)`, `health(settings)`,
 *   `program()` (the command line of the server), `log()` and `stop()`, which resolves to the exit code. Commands resolve to
 *   { code, stdout, output }
 * @returns what is wrong
 */
export async function checkService(image) {
  const faults = [];
  const expect = (what, holds, seen) => {
    if (!holds) faults.push(`${what}: ${JSON.stringify(seen)}`);
  };
  const refused = await image.run({});
  expect('a server without settings ends with 1', refused.code === 1, refused.code);
  expect('it names what is missing', /set SERVICE_ENCRYPTION_KEYS/.test(refused.output), refused.output);

  const port = await freePort();
  const settings = {
    SERVICE_EMBEDDING_PROVIDER: 'local',
    SERVICE_ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    HOST: '127.0.0.1',
    PORT: String(port),
  };
  const provision = ['memory-provision', '--organization', 'Acme', '--owner', 'ana@example.com', '--json'];
  const { stdout, output } = await image.run(settings, ...provision);
  if (stdout === '') return [...faults, `memory-provision failed:\n${output}`];
  const { token } = JSON.parse(stdout);
  const send = (path, body) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const find = async () => (await (await send('/api/memories/search', { query: 'deploys' })).json()).results?.length;
  const start = async () => {
    await image.start(settings);
    if (!(await isReady(port))) throw new Error(`the server of the image is not ready:\n${await image.log()}`);
  };

  const early = await image.health(settings);
  expect('the health check fails while no server runs', early.code !== 0, early);
  await start();
  expect('a memory is stored', (await send('/api/memories', { content: 'Deploys run on Fridays.' })).status === 201);
  expect('it is found', (await find()) === 1);
  await checkInside(image, settings, expect);
  const code = await image.stop();
  expect('a stop ends the server with 0', code === 0, code);
  await start();
  expect('the memory is there after another start', (await find()) === 1);
  await image.stop();
  return faults;
}

async function checkInside(image, settings, expect) {
  const succeeds = async (...command) => {
    const { code, output } = await image.inside(settings, ...command);
    expect(command.join(' '), code === 0, output);
  };
  const user = await image.inside(settings, 'id', '-u');
  expect('the user is not root', user.code === 0 && user.stdout.trim() !== '0', user.output);
  const program = await image.program();
  expect('the first process is node, which gets the signals', program.startsWith('node\0'), program);
  const npm = await image.inside(settings, 'sh', '-c', 'command -v npm');
  expect('there is no npm', npm.code !== 0, npm.output);
  expect('the root cannot be written', (await image.inside(settings, 'touch', '/app/file')).code !== 0);
  const health = await image.health(settings);
  expect('the health check holds', health.code === 0, health.output);
  await succeeds('memory-server', 'check');
  await succeeds('memory-server', 'backup', '/data/backup');
  await succeeds('memory-server', 'verify', '/data/backup');
}

async function isReady(port) {
  for (let poll = 0; poll < READY_WITHIN_POLLS; poll += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    if (answer?.ok) return true;
    await pause(POLL_MS);
  }
  return false;
}

async function freePort() {
  const listener = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  const { port } = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return port;
}
