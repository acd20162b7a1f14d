import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { format } from 'node:util';
import type { Command, Config } from '@oclif/core';
import { onTestFinished, vi } from 'vitest';

/** The output, result and exit code of a command. */
export interface Ran<Result> {
  stdout: string;
  stderr: string;
  /** Undefined if the command failed. */
  result: Result | undefined;
  /** The error that the command threw. */
  error: (Error & { code?: string }) | undefined;
  exitCode: number;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));

type CommandClass<T extends Command> = (new (argv: string[], config: Config) => T) & Pick<typeof Command, 'run'>;

export interface Surroundings {
  /** Text on standard input. Default: a terminal without input. */
  stdin?: string;
  env?: Readonly<Record<string, string>>;
}

/** Runs commands for one user, in a home folder that is removed when the test ends. */
export class CommandLine {
  private constructor(
    readonly home: string,
    private readonly credentials: readonly string[],
  ) {}

  /** @param credentials flags that go with every command */
  static async create(credentials: readonly string[] = []): Promise<CommandLine> {
    const home = await mkdtemp(join(tmpdir(), 'memory-cli-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    return new CommandLine(home, credentials);
  }

  async run<T extends Command>(
    command: CommandClass<T>,
    argv: readonly string[],
    { stdin, env = {} }: Surroundings = {},
  ): Promise<Ran<Awaited<ReturnType<T['run']>>>> {
    const output = { stdout: '', stderr: '' };
    const spies = capture(output);
    const before = process.exitCode;
    const input = Object.assign(Readable.from(stdin === undefined ? [] : [stdin]), { isTTY: stdin === undefined });
    const stdinSpy = vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as typeof process.stdin);
    const places = { MEMORY_CONFIG_DIR: join(this.home, 'config'), SERVICE_DATA_DIR: join(this.home, 'nothing') };
    for (const [name, value] of Object.entries({ ...places, ...env })) vi.stubEnv(name, value);
    process.exitCode = undefined;
    try {
      const result = await command.run([...argv, ...this.credentials], { root: ROOT });
      return { ...output, result, error: undefined, exitCode: Number(process.exitCode ?? 0) };
    } catch (error) {
      const failure = error as Error & { oclif?: { exit?: number } };
      return { ...output, result: undefined, error: failure, exitCode: failure.oclif?.exit ?? 1 };
    } finally {
      for (const spy of [...spies, stdinSpy]) spy.mockRestore();
      vi.unstubAllEnvs();
      process.exitCode = before;
    }
  }
}

/** Captures output. Commands write lines to the console, and streams of lines directly to the process. */
function capture(output: { stdout: string; stderr: string }): { mockRestore(): void }[] {
  const streams = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk: Uint8Array | string, ...rest: unknown[]) => {
      output[name] += String(chunk);
      for (const done of rest) if (typeof done === 'function') done();
      return true;
    }),
  );
  const lines = (
    [
      ['log', 'stdout'],
      ['error', 'stderr'],
    ] as const
  ).map(([method, name]) =>
    vi.spyOn(console, method).mockImplementation((...texts) => {
      output[name] += `${format(...texts)}\n`;
    }),
  );
  return [...streams, ...lines];
}
