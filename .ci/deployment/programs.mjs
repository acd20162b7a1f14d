import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../documents.mjs';
import { run } from '../packages/processes.mjs';

const UNIT = 'memory-server.service';
/** The unit's place of the installed package. */
const INSTALLED = /^ExecStart=(\/\S+\/node_modules\/\.bin\/)([\w-]+)$/m;

/** Returns what systemd says about the unit, with its program at a place of this machine. */
export async function unitFaults(folder, programs) {
  const text = await readFile(join(ROOT, 'deploy', UNIT), 'utf8');
  const [, , program] = INSTALLED.exec(text) ?? [];
  if (!programs.includes(program)) return [`${UNIT}: ExecStart is not a program of the package`];
  const { code: missing } = await run('systemd-analyze', ['--version'], { cwd: folder });
  if (missing !== 0) {
    console.error(`NO SYSTEMD-ANALYZE: ${UNIT} was only read`);
    return [];
  }
  const place = join(folder, program);
  await writeFile(place, '#!/bin/sh\n');
  await chmod(place, 0o755);
  const unit = join(folder, UNIT);
  await writeFile(unit, text.replace(INSTALLED, `ExecStart=${place}`));
  const { code, output } = await run('systemd-analyze', ['verify', unit], { cwd: folder });
  const said = output.split('\n').filter((line) => line.includes(UNIT));
  return code === 0 && said.length === 0 ? [] : [`${UNIT}: ${output}`];
}

/** Returns what Caddy says about its settings. */
export async function caddyFaults(folder) {
  const caddy = await provideCaddy(folder);
  if (caddy === undefined) {
    console.error('NO CADDY, AND NONE COULD BE DOWNLOADED: the Caddyfile was not validated');
    return [];
  }
  const env = { MEMORY_DOMAIN: 'memory.example.com', HOME: folder };
  const args = ['validate', '--adapter', 'caddyfile', '--config', join(ROOT, 'deploy/Caddyfile')];
  const { code, output } = await run(caddy, args, { cwd: folder, env });
  return code === 0 ? [] : [`Caddyfile: ${output}`];
}

/** Returns the Caddy of this machine, or else that of Debian's package. Its installation would start a server. */
async function provideCaddy(folder) {
  const version = await run('caddy', ['version'], { cwd: folder });
  if (version.code === 0) return 'caddy';
  const unpacked = join(folder, 'caddy');
  await mkdir(unpacked);
  const download = 'apt-get download -qq caddy || { apt-get update -qq && apt-get download -qq caddy; }';
  const { code } = await run('sh', ['-c', `{ ${download}; } && dpkg -x caddy_*.deb .`], { cwd: unpacked });
  return code === 0 ? join(unpacked, 'usr/bin/caddy') : undefined;
}
