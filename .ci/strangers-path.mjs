import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A part that writes, reads and deletes, and needs nothing but a token. */
const SECTION = '4.6';
/** What each report must hold. */
const REPORTS = {
  'report.html': 'Conforms',
  'report.json': '"conforms": true',
  'report.xml': 'failures="0"',
  'badge.svg': 'pass',
};

/**
 * Does what somebody does who knows nothing of this package but its name: installs it in an empty folder, starts the
 * server, and has the conformance suite look at it, with the limits and settings that there are by default.
 *
 * @param tarball the packed package
 * @param folder to work in
 * @returns what was not as it must be, in words
 */
export async function checkStrangersPath(tarball, folder) {
  const cwd = join(folder, 'stranger');
  await mkdir(cwd);
  await run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', tarball], cwd);
  const server = spawn(bin(cwd, 'memory-server'), [], {
    cwd,
    env: { ...onlyPaths(), PORT: '0', SERVICE_DATA_DIR: 'data' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await listening(server);
    const { baseUrl, token } = JSON.parse(await readFile(join(cwd, 'data/credentials.json'), 'utf8'));
    return await lookAt(cwd, baseUrl, token);
  } finally {
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
  }
}

async function lookAt(cwd, baseUrl, token) {
  const access = ['--base-url', baseUrl, '--section', SECTION];
  const reports = ['html report.html', 'json report.json', 'junit report.xml', 'badge badge.svg'];
  const wanted = reports.flatMap((report) => ['--report', ...report.split(' ')]);
  const looked = await run(bin(cwd, 'memory-conformance'), [...access, '--token', token, ...wanted], cwd);
  const refused = await run(bin(cwd, 'memory-conformance'), [...access, '--token', `${token}x`], cwd);
  console.log(`a stranger's path: ${looked.output.trimEnd().split('\n').slice(-2).join(', ')}`);

  const written = await Promise.all(
    Object.entries(REPORTS).map(async ([file, mark]) => {
      const text = await readFile(join(cwd, file), 'utf8').catch(() => '');
      return text.includes(mark) ? [] : [`${file} does not say ${mark}`];
    }),
  );
  const left = await (
    await fetch(`${baseUrl}/api/memories/stats`, { headers: { authorization: `Bearer ${token}` } })
  ).json();
  return [
    ...(looked.code === 0 ? [] : [`the suite ended with ${looked.code}:\n${looked.output}`]),
    ...(refused.code === 2 ? [] : [`the suite ended with ${refused.code} where the token is wrong`]),
    ...written.flat(),
    ...(left.meta.total === 0 ? [] : [`the suite left ${left.meta.total} memories behind`]),
  ].map((fault) => `a stranger's path: ${fault}`);
}

/** Where things are, and nothing that would set the server or the suite up. */
function onlyPaths() {
  const { PATH, HOME } = process.env;
  return { PATH, HOME };
}

function bin(cwd, name) {
  return join(cwd, 'node_modules/.bin', name);
}

async function listening(server) {
  const lines = createInterface({ input: server.stdout });
  for await (const line of lines) if (line.includes('listens on')) return;
  throw new Error('the server ended before it listened');
}

function run(command, args, cwd) {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env: onlyPaths() }, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? 1) : 0, output: `${stdout}${stderr}` });
    });
  });
}
