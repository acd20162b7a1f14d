import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { builtPackage } from './server-process.js';

/** How a program ended, with the text of both of its outputs. */
export interface Ended {
  code: number | null;
  output: string;
  errors: string;
}

/**
 * Runs a program of the built server to its end.
 *
 * @param program its file in the server
 * @param env added to the environment of the tests
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const child = spawn(process.execPath, [join(builtPackage('server'), program), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = { output: '', errors: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.errors += chunk.toString();
  });
  await once(child, 'close');
  return { ...said, code: child.exitCode };
}
