import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

export interface Shown {
  code: number | null;
  /** Standard output and standard error in the order in which they were written. */
  text: string;
}

export interface TerminalOptions {
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** Columns of the terminal. Default: 200. */
  columns?: number;
}

/** Runs a program under a pseudo-terminal, which `script` of util-linux opens. */
export async function runInTerminal(
  words: readonly string[],
  { env, cwd, columns = 200 }: TerminalOptions,
): Promise<Shown> {
  const command = `stty cols ${columns}; exec ${words.map(quoted).join(' ')}`;
  return run('script', ['-qec', command, '/dev/null'], { ...env, SHELL: '/bin/sh', TERM: 'xterm' }, cwd);
}

/** Runs a program with one pipe for both of its outputs. */
export async function runInPipe(words: readonly string[], { env, cwd }: TerminalOptions): Promise<Shown> {
  return run('/bin/sh', ['-c', `exec ${words.map(quoted).join(' ')} 2>&1`], env, cwd);
}

async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<Shown> {
  // An input that ends at once would reach the terminal as Ctrl-D.
  const child = spawn(program, args, { cwd, env: { PATH: process.env.PATH, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  await once(child, 'close');
  return { code: child.exitCode, text };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
