import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A script that takes longer hangs. */
const PATIENCE_MS = 60_000;

/** curl that fails unless the class of the status is the one expected: by itself it takes a refusal for a success. */
const CURL = `curl() {
  local body=$SHELL_BLOCKS/body status
  status=$(command curl --output "$body" --write-out '%{http_code}' "$@") || return
  cat "$body"
  [[ $status == "$EXPECTED_ANSWER"?? ]] || { echo "curl was answered with $status" >&2; return 22; }
}`;

const running = new Set();
process.on('exit', () => {
  for (const shell of running) shell.signal('SIGKILL');
});

/**
 * A script of bash that stops at the first command that fails, in a process group of its own. It begins with what the
 * script before it exported to `$SHELL_BLOCKS/exports`, as if both were typed into one terminal.
 */
export class Shell {
  /** The output so far. */
  output = '';
  errors = '';
  #child;
  #closed;
  #patience;

  constructor(script, { cwd, env }) {
    const whole = [CURL, '. "$SHELL_BLOCKS/exports"', script, 'export -p >"$SHELL_BLOCKS/exports"'].join('\n');
    this.#child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', whole], { cwd, env, detached: true });
    this.#closed = this.#close();
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      this.output += text;
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.errors += text;
    });
    this.#patience = setTimeout(() => this.signal('SIGKILL'), PATIENCE_MS);
  }

  /** Waits for the end. Resolves to the exit code, or to the name of the signal that ended it. */
  end() {
    return this.#closed;
  }

  /** Waits until the output matches. Resolves to true if it did before the end. */
  async says(pattern) {
    const over = this.#closed.then(() => true);
    while (!pattern.test(this.output)) {
      const more = once(this.#child.stdout, 'data').then(() => false);
      if (await Promise.race([over, more])) break;
    }
    clearTimeout(this.#patience);
    return pattern.test(this.output);
  }

  /** Stops it as Ctrl-C does, with a signal to all of its processes. Resolves like `end`. */
  interrupt() {
    this.signal('SIGINT');
    return this.#closed;
  }

  signal(name) {
    if (running.has(this)) process.kill(-this.#child.pid, name);
  }

  async #close() {
    running.add(this);
    // Not 'exit': what it started may still be there, and write.
    const [code, signal] = await once(this.#child, 'close');
    running.delete(this);
    clearTimeout(this.#patience);
    return code ?? signal;
  }
}
