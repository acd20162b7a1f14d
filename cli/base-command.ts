import type { MemoryClient } from '@memory-service/sdk';
import { Command } from '@oclif/core/command';
import * as Flags from '@oclif/core/flags';
import type * as Interfaces from '@oclif/core/interfaces';
import { EXIT } from './exit-codes.js';
import {
  type Connection,
  checkBaseUrl,
  type Given,
  requireToken,
  resolveConnection,
} from './lib/connection/connection.js';
import { CommandError, explainError, toErrorJson } from './lib/output/explain-error.js';
import { exitOf } from './lib/output/print-error.js';
import { isShortId, notePrintedIds, printedIdsPath, resolveShortId } from './lib/output/printed-ids.js';
import { type Column, formatTable, type TableOptions } from './lib/output/table.js';
import { wantsColor, widthOf } from './lib/output/terminal.js';

/** Longer delays would look like a hang at a terminal. */
const MAX_WAIT_MS = 5_000;
/** Names of the arguments that are ids. */
const ID_ARGUMENT = /^(?:id|\w+Id)$/;

type BaseFlags<T extends typeof Command> = Interfaces.InferredFlags<(typeof BaseCommand)['baseFlags'] & T['flags']>;

/**
 * The base of all commands: connection flags, a client and error reports. A command parses, makes one call, prints, and
 * returns what `--json` prints instead.
 */
export abstract class BaseCommand<T extends typeof Command> extends Command {
  static override enableJsonFlag = true;

  static override baseFlags = {
    'base-url': Flags.string({
      description: 'base URL of the service; default: that of the login',
      env: 'MEMORY_BASE_URL',
      helpGroup: 'GLOBAL',
      noCacheDefault: true,
      parse: async (text) => checkBaseUrl(text),
    }),
    organization: Flags.string({
      description: 'id of the organization to act in, if the token allows several',
      env: 'MEMORY_ORGANIZATION_ID',
      helpGroup: 'GLOBAL',
      noCacheDefault: true,
    }),
    profile: Flags.string({
      description: 'saved login to use; default: the current one',
      env: 'MEMORY_PROFILE',
      helpGroup: 'GLOBAL',
      noCacheDefault: true,
    }),
    token: Flags.string({
      description: 'access token; prefer MEMORY_TOKEN, since other users of this machine see command lines',
      env: 'MEMORY_TOKEN',
      helpGroup: 'GLOBAL',
      noCacheDefault: true,
    }),
  };

  protected flags!: BaseFlags<T>;
  protected args!: Interfaces.InferredArgs<T['args']>;
  #connection: Promise<Connection> | undefined;
  #baseUrl: string | undefined;
  readonly #printedIds: string[] = [];

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
    this.args = (await this.withWholeIds(args)) as Interfaces.InferredArgs<T['args']>;
  }

  /** Writes down which ids were printed, so that a part of one is enough later. */
  protected override async finally(error: Error | undefined): Promise<void> {
    await super.finally(error);
    if (this.#printedIds.length === 0) return;
    // Without a writable folder, only whole ids work.
    await notePrintedIds(await this.printedIdsPath(), this.#printedIds).catch(() => undefined);
  }

  /** Returns the connection, which stays the same for the whole run. */
  protected async connection(): Promise<Connection> {
    this.#connection ??= resolveConnection(this.given(), {
      configDir: this.config.configDir,
      dataDir: process.env.SERVICE_DATA_DIR ?? 'data',
    });
    const connection = await this.#connection;
    this.#baseUrl = connection.baseUrl;
    return connection;
  }

  /**
   * Returns the values of flags and environment. With `--profile`, the environment variables of the connection do not
   * count: a flag precedes them.
   */
  private given(): Given {
    const { 'base-url': baseUrl, organization: organizationId, profile, token } = this.flags;
    if (!this.isFlag('profile')) return { baseUrl, organizationId, profile, token };
    return {
      baseUrl: this.isFlag('base-url') ? baseUrl : undefined,
      organizationId: this.isFlag('organization') ? organizationId : undefined,
      profile,
      token: this.isFlag('token') ? token : undefined,
    };
  }

  /** Reports if the command line has a flag, rather than the environment. */
  private isFlag(name: string): boolean {
    return this.argv.some((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  }

  /** @throws {CommandError} if there is no token */
  protected async client(): Promise<MemoryClient> {
    const connection = await this.connection();
    requireToken(connection);
    return this.clientOf(connection);
  }

  /** Creates a client that may have no token, for operations that require none. */
  protected async clientOf({ baseUrl, token, organizationId }: Connection): Promise<MemoryClient> {
    // Imported on first use, so that --help and usage errors are fast.
    const { MemoryClient } = await import('@memory-service/sdk');
    return new MemoryClient({ baseUrl, token: token ?? '', organizationId, maxRetryDelayMs: MAX_WAIT_MS });
  }

  /** Prints rows under headings, or `none` on standard error if there are no rows. */
  protected table<Row>(
    rows: readonly Row[],
    columns: readonly Column<Row>[],
    none: string,
    options: Pick<TableOptions<Row>, 'detailOf'> = {},
  ): void {
    this.notePrinted(rows);
    if (rows.length === 0) this.logToStderr(none);
    else {
      const color = wantsColor(process.stdout, process.env);
      this.log(formatTable(rows, columns, { ...options, color, width: widthOf(process.stdout) }));
    }
  }

  /** Notes the ids of what the command prints. */
  protected notePrinted(rows: readonly unknown[]): void {
    if (this.jsonEnabled()) return;
    for (const row of rows) {
      if (typeof row !== 'object' || row === null) continue;
      const { id, userId } = row as { id?: unknown; userId?: unknown };
      for (const one of [id, userId]) if (typeof one === 'string') this.#printedIds.push(one);
    }
  }

  /** Replaces the parts of ids among the arguments with the ids that were printed before. */
  private async withWholeIds(args: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    const whole = { ...args };
    for (const [name, value] of Object.entries(args)) {
      if (!ID_ARGUMENT.test(name) || typeof value !== 'string' || !isShortId(value)) continue;
      whole[name] = await resolveShortId(await this.printedIdsPath(), value);
    }
    return whole;
  }

  private async printedIdsPath(): Promise<string> {
    const { baseUrl, organizationId } = await this.connection();
    return printedIdsPath(this.config.configDir, [baseUrl, organizationId]);
  }

  protected usage(message: string): CommandError {
    return new CommandError(message, { exit: EXIT.usage });
  }

  /** Keeps the message of the service and adds an exit code. */
  protected override async catch(error: Error): Promise<unknown> {
    return super.catch(explainError(error, { baseUrl: this.#baseUrl, commandId: this.id }));
  }

  protected override toErrorJson(error: Error): unknown {
    process.exitCode = exitOf(error);
    return toErrorJson(error);
  }
}
