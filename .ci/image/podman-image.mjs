const NAME = 'memory';
const VOLUME = ['--volume', 'data:/data'];

/** The containers of an image that Podman has built. */
export class PodmanImage {
  #podman;
  #image;

  constructor(podman, image) {
    this.#podman = podman;
    this.#image = image;
  }

  run(settings, ...command) {
    return this.#podman.start(['--rm', ...variables(settings), ...VOLUME], this.#image, ...command);
  }

  async start(settings) {
    const args = ['--detach', '--name', NAME, ...variables(settings), ...VOLUME];
    const { code, output } = await this.#podman.start(args, this.#image);
    if (code !== 0) throw new Error(`the server does not start:\n${output}`);
  }

  inside(_, ...command) {
    return this.#podman.call('exec', NAME, ...command);
  }

  health() {
    return this.#podman.call('healthcheck', 'run', NAME);
  }

  async program() {
    return (await this.inside({}, 'cat', '/proc/1/cmdline')).stdout;
  }

  async log() {
    return (await this.#podman.call('logs', NAME)).output;
  }

  /** Resolves to the exit code. */
  async stop() {
    await this.#podman.must('stop', '--time', '30', NAME);
    const code = await this.#podman.must('inspect', NAME, '--format', '{{.State.ExitCode}}');
    await this.#podman.must('rm', NAME);
    return Number(code);
  }
}

function variables(settings) {
  return Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
}
