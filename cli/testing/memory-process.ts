import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { builtPackage } from '../../server/testing/processes/server-process.js';

/** How a process of the command ended. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface ProcessOptions {
  env: Readonly<Record<string, string>>;
  cwd?: string;
  /** Closes standard output after this much of it. */
  readAtMost?: number;
}

/** The file that `memory` runs. */
export const PROGRAM = join(builtPackage('cli'), '../bin/memory.js');

/** Runs the built command as a process to its end, with pipes for its outputs. */
export async function runMemory(
  argv: readonly string[],
  { env, cwd, readAtMost = Number.POSITIVE_INFINITY }: ProcessOptions,
): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...argv], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    ended.stdout += chunk.toString();
    if (ended.stdout.length >= readAtMost) child.stdout.destroy();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    ended.stderr += chunk.toString();
  });
  await once(child, 'close');
  return { ...ended, code: child.exitCode };
}
