import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../packages/processes.mjs';

/** A build installs and compiles all packages. */
const PATIENCE_MS = 1_800_000;
/** Limits that the server needs. Those of Podman's defaults may be higher than this machine allows. */
const LIMITS = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];
/** Places of certificates and settings of npm, which a build on this machine may need to reach the registry. */
const NETWORK_SETTINGS = [
  ['/etc/ssl/certs', '/etc/ssl/certs'],
  ['/usr/local/etc/npmrc', '/usr/local/etc/npmrc'],
];

/** Podman with images, containers and volumes of its own in a folder, which leaves those of the machine alone. */
export class Podman {
  #folder;
  #options;

  constructor(folder) {
    this.#folder = folder;
    const runc = ['/usr/sbin/runc', '/usr/bin/runc'].find((path) => existsSync(path));
    this.#options = [
      ...['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'],
      ...['--cgroup-manager', 'cgroupfs', '--events-backend', 'file'],
      ...(runc ? ['--runtime', runc] : []),
    ];
  }

  static isThere() {
    return spawnSync('podman', ['--version']).status === 0;
  }

  /** Runs a command of Podman. Resolves to its exit code and output. */
  call(...args) {
    return run('podman', [...this.#options, ...args], { cwd: this.#folder, patienceMs: PATIENCE_MS });
  }

  /** @throws {Error} if the command fails */
  async must(...args) {
    const { code, stdout, output } = await this.call(...args);
    if (code !== 0) throw new Error(`podman ${args[0]} ended with ${code}:\n${output.slice(-2_000)}`);
    return stdout.trim();
  }

  async build(tag, context, file) {
    const mounts = NETWORK_SETTINGS.filter(([path]) => existsSync(path)).flatMap(([from, to]) => [
      '-v',
      `${from}:${to}:ro`,
    ]);
    // Each layer would copy all files of those below it.
    const layers = '--layers=false';
    const options = ['--format', 'docker', '--network', 'host', '--pull=never', layers, ...LIMITS, ...mounts];
    await this.must('build', ...options, '--tag', tag, ...(file ? ['--file', file] : []), context);
  }

  /** Runs a container as docs/deploy.md says: nothing to write to but its volume, and no capabilities. */
  start(args, image, ...command) {
    const bounds = [
      '--read-only',
      '--read-only-tmpfs=false',
      '--cap-drop',
      'all',
      '--security-opt',
      'no-new-privileges',
    ];
    return this.call('run', '--network', 'host', ...LIMITS, ...bounds, ...args, image, ...command);
  }

  remove() {
    if (process.getuid() === 0) rmSync(this.#folder, { recursive: true, force: true });
    else spawnSync('podman', ['unshare', 'rm', '-rf', this.#folder]);
  }
}
