import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private'];
const DEVICES = ['null', 'zero', 'random', 'urandom'];
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
/** Arguments: the root, how many of the next are folders to bind (from, to), the folder that stays writable, the program. */
const SCRIPT = `set -e
root=$1 binds=$2; shift 2
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
for each in ${DEVICES.join(' ')}; do
  test -e "$root/dev/$each" || : >"$root/dev/$each"
  mount --bind "/dev/$each" "$root/dev/$each"
done
while [ "$binds" -gt 0 ]; do
  mkdir -p "$root$2"
  mount --bind "$1" "$root$2"
  mount -o remount,bind,ro "$root$2"
  shift 2; binds=$((binds - 1))
done
writable=$1; shift
if [ -n "$writable" ]; then
  mount --bind "$root$writable" "$root$writable"
  mount -o remount,bind,ro "$root"
fi
exec chroot "$root" "$@"`;

/** Returns what keeps this machine from running programs in folders of their own, if anything does. */
export function missingNamespaces() {
  if (spawnSync('dpkg-query', ['--version']).status !== 0) return 'dpkg-query is missing';
  const { status, stderr } = spawnSync('unshare', [...NAMESPACES, 'chroot', '/', 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : (stderr ?? 'unshare is missing').trim();
}

/**
 * Starts a program with a folder as its root, in mount and process namespaces of its own.
 *
 * @param where `user` runs without root, capabilities and a way to get them; `writable` is then the only folder that can
 *   be written. `binds` are folders of this machine that can be read below the root
 */
export function startConfined(root, { env = {}, workdir = '/', user, writable = '', binds = [] }, command) {
  const variables = Object.entries({ PATH: DEFAULT_PATH, HOME: '/root', ...env }).map(
    ([name, value]) => `${name}=${value}`,
  );
  const [uid, gid] = user?.split(':') ?? [];
  const bounds = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];
  const drop = user === undefined ? [] : ['/usr/bin/setpriv', `--reuid=${uid}`, `--regid=${gid}`, ...bounds];
  const inside = [...drop, '/usr/bin/env', '-i', '-C', workdir, ...variables, ...command];
  const given = [root, String(binds.length), ...binds.flat(), writable, ...inside];
  const child = spawn('unshare', [...NAMESPACES, 'sh', '-c', SCRIPT, 'sh', ...given], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Confined(child);
}

export class Confined {
  #child;
  #ended;
  stdout = '';
  output = '';

  constructor(child) {
    this.#child = child;
    running.add(child);
    this.#ended = once(child, 'close').finally(() => running.delete(child));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
      this.output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.output += text;
    });
  }

  /** Resolves when the program has ended. */
  async end() {
    const [code, signal] = await this.#ended;
    return { code: code ?? signal, stdout: this.stdout, output: this.output };
  }

  /** Sends a signal to the first process of the namespace. */
  async signal(name) {
    process.kill(await this.pid(), name);
  }

  async pid() {
    const { pid } = this.#child;
    return Number((await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ')[0]);
  }
}
