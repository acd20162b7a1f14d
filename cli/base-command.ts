import type { MemoryClient } from '@memory-service/sdk';
import { Command, Flags, type Interfaces } from '@oclif/core';
import { EXIT } from './exit-codes.js';
import { type Connection, requireToken, resolveConnection } from './lib/connection.js';
import { CommandError, explainError } from './lib/explain-error.js';
import { type Column, formatTable } from './lib/table.js';
import { wantsColor } from './lib/terminal.js';

/** Nobody at a terminal wants to wait longer without a word. */
const LONGEST_WAIT_MS = 5_000;

type BaseFlags<T extends typeof Command> = Interfaces.InferredFlags<(typeof BaseCommand)['baseFlags'] & T['flags']>;

/**
 * What all commands share: the flags that say where the service is, a client
 * for it, and how failures are told. A command parses, makes one call, prints,
 * and returns what `--json` prints instead.
 */
export abstract class BaseCommand<T extends typeof Command> extends Command {
  static override enableJsonFlag = true;

  static override baseFlags = {
    'base-url': Flags.string({
      description: 'where the service is; of the login unless given',
      env: 'MEMORY_BASE_URL',
      helpGroup: 'GLOBAL',
      noCacheDefault: true,
    }),
    organization: Flags.string({
      description: 'id of the organization to act in, where the token leaves it open',
      env: 'MEMORY_ORGANIZATION_ID',
      helpGroup: 'GLOBAL',
      noCacheDefault: true,
    }),
    token: Flags.string({
      description: 'access token; better given by MEMORY_TOKEN, since others on this machine see command lines',
      env: 'MEMORY_TOKEN',
      helpGroup: 'GLOBAL',
      noCacheDefault: true,
    }),
  };

  protected flags!: BaseFlags<T>;
  protected args!: Interfaces.InferredArgs<T['args']>;
  #connection: Promise<Connection> | undefined;
  #baseUrl: string | undefined;

  override async init(): Promise<void> {
    await super.init();
    const { args, flags } = await this.parse({
      args: this.ctor.args,
      baseFlags: (super.ctor as typeof BaseCommand).baseFlags,
      enableJsonFlag: this.ctor.enableJsonFlag,
      flags: this.ctor.flags,
      strict: this.ctor.strict,
    });
    this.flags = flags as BaseFlags<T>;
    this.args = args as Interfaces.InferredArgs<T['args']>;
  }

  /** Where requests go; the same for the whole run. */
  protected async connection(): Promise<Connection> {
    this.#connection ??= resolveConnection(
      { baseUrl: this.flags['base-url'], organizationId: this.flags.organization, token: this.flags.token },
      { configDir: this.config.configDir, dataDir: process.env.SERVICE_DATA_DIR ?? 'data' },
    );
    const connection = await this.#connection;
    this.#baseUrl = connection.baseUrl;
    return connection;
  }

  /** @throws {CommandError} when there is no token to send */
  protected async client(): Promise<MemoryClient> {
    const connection = await this.connection();
    requireToken(connection);
    return this.clientOf(connection);
  }

  /** A client that may have no token, for what needs none. */
  protected async clientOf({ baseUrl, token, organizationId }: Connection): Promise<MemoryClient> {
    // Loaded when it is used, so that --help and usage errors come at once.
    const { MemoryClient } = await import('@memory-service/sdk');
    return new MemoryClient({ baseUrl, token: token ?? '', organizationId, maxRetryDelayMs: LONGEST_WAIT_MS });
  }

  /** Prints rows under headings, or on standard error that there are none. */
  protected table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], none: string): void {
    if (rows.length === 0) this.logToStderr(none);
    else this.log(formatTable(rows, columns, wantsColor(process.stdout, process.env)));
  }

  protected usage(message: string): CommandError {
    return new CommandError(message, { exit: EXIT.usage });
  }

  /** The service's message is the command's message; only the exit code is added. */
  protected override async catch(error: Error): Promise<unknown> {
    return super.catch(explainError(error, this.#baseUrl));
  }

  protected override toErrorJson(error: Error & { code?: string; requestId?: string }): unknown {
    process.exitCode = exitOf(error);
    const { message, code, requestId } = error;
    return { error: message, ...(code !== undefined && { code }), ...(requestId !== undefined && { requestId }) };
  }
}

function exitOf(error: Error & { oclif?: { exit?: number } }): number {
  return error.oclif?.exit ?? EXIT.failed;
}
