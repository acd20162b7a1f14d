#!/usr/bin/env node
// Builds the image of the Dockerfile with Podman, and does with it what docs/deploy.md says: makes an organization, starts
// the server, stores and finds a memory, checks and backs up the data, stops, and starts again.
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '../documents.mjs';
import { provideBaseImages } from './base-images.mjs';
import { Podman } from './podman.mjs';

const IMAGE = 'memory-service';
const VOLUME = ['--volume', 'data:/data'];
const POLL_MS = 250;
const READY_WITHIN_POLLS = 240;

if (!Podman.isThere()) {
  console.error('NO PODMAN: the image was not built');
  process.exit(0);
}
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1));
const folder = await mkdtemp(join(tmpdir(), 'memory-image-'));
const podman = new Podman(folder);
process.once('exit', () => podman.remove());
const faults = [];
const expect = (what, holds, seen) => {
  if (!holds) faults.push(`${what}: ${JSON.stringify(seen)}`);
};

step('base images');
const missing = await runsContainers();
if (missing !== undefined) {
  console.error(`NO CONTAINERS ON THIS MACHINE: the image was not built. ${missing.slice(-500)}`);
  process.exit(0);
}
step('build');
await podman.build(IMAGE, ROOT, join(ROOT, 'Dockerfile'));
step('run');
await checkRefusal();
await checkService();
step('end');
for (const fault of faults) console.error(`fault: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;

function step(name) {
  console.log(`${name} (${(performance.now() / 1_000).toFixed(0)} s)`);
}

/** Provides the base images, and runs one. Returns what keeps this machine from doing so. */
async function runsContainers() {
  try {
    const { debian, isReal } = await provideBaseImages(podman, folder);
    if (!isReal) console.log('no registry: a Debian from its archive takes the place of the base images');
    const { code, output } = await podman.start(['--rm'], `docker.io/library/${debian}`, 'true');
    return code === 0 ? undefined : output;
  } catch (error) {
    return error.message;
  }
}

async function checkRefusal() {
  const refused = await podman.start(['--rm'], IMAGE);
  expect('a server without settings ends with 1', refused.code === 1, refused.code);
  expect('it names what is missing', /set SERVICE_ENCRYPTION_KEYS/.test(refused.output), refused.output);
}

async function checkService() {
  const port = await freePort();
  const settings = [
    ...['--env', 'SERVICE_EMBEDDING_PROVIDER=local', '--env', `PORT=${port}`],
    ...['--env', `SERVICE_ENCRYPTION_KEYS=${randomBytes(32).toString('base64')}`, ...VOLUME],
  ];
  const provision = ['memory-provision', '--organization', 'Acme', '--owner', 'ana@example.com', '--json'];
  const { stdout, output } = await podman.start(['--rm', ...settings], IMAGE, ...provision);
  if (stdout === '') throw new Error(`memory-provision failed:\n${output}`);
  const { token } = JSON.parse(stdout);
  const send = (path, body) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const find = async () => (await (await send('/api/memories/search', { query: 'deploys' })).json()).results?.length;

  const started = await podman.start(['--detach', '--name', 'memory', ...settings], IMAGE);
  expect('the server starts', started.code === 0, started.output);
  await untilReady(port);
  expect('a memory is stored', (await send('/api/memories', { content: 'Deploys run on Fridays.' })).status === 201);
  expect('it is found', (await find()) === 1);
  await checkInside();
  await podman.must('stop', '--time', '30', 'memory');
  const exitCode = await podman.must('inspect', 'memory', '--format', '{{.State.ExitCode}}');
  expect('a stop ends the server with 0', exitCode === '0', exitCode);
  await podman.must('start', 'memory');
  await untilReady(port);
  expect('the memory is there after another start', (await find()) === 1);
  await podman.must('rm', '--force', '--time', '30', 'memory');
  const size = Number(await podman.must('image', 'inspect', IMAGE, '--format', '{{.Size}}'));
  console.log(`image: ${(size / 1e6).toFixed(0)} MB, built and run`);
}

async function checkInside() {
  const inside = (...command) => podman.call('exec', 'memory', ...command);
  const succeeds = async (...command) => {
    const { code, output } = await inside(...command);
    expect(command.join(' '), code === 0, output);
  };
  const user = await inside('id', '-u');
  expect('the user is not root', user.code === 0 && user.stdout.trim() !== '0', user.output);
  const program = await inside('cat', '/proc/1/cmdline');
  expect('the first process is node, which gets the signals', program.stdout.startsWith('node\0'), program.stdout);
  const npm = await inside('sh', '-c', 'command -v npm');
  expect('there is no npm', npm.code !== 0, npm.output);
  expect('the root cannot be written', (await inside('touch', '/app/file')).code !== 0);
  const health = await podman.call('healthcheck', 'run', 'memory');
  expect('the health check holds', health.code === 0, health.output);
  await succeeds('memory-server', 'check');
  await succeeds('memory-server', 'backup', '/data/backup');
  await succeeds('memory-server', 'verify', '/data/backup');
}

async function untilReady(port) {
  for (let poll = 0; poll < READY_WITHIN_POLLS; poll += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    if (answer?.ok) return;
    await pause(POLL_MS);
  }
  const { output } = await podman.call('logs', 'memory');
  throw new Error(`the server in the container is not ready:\n${output}`);
}

async function freePort() {
  const listener = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  const { port } = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return port;
}
