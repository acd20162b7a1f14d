import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../../base-command.js';
import { EXIT } from '../../exit-codes.js';
import { type Connection, requireToken } from '../../lib/connection/connection.js';
import { CLIENT_NAMES, CLIENTS, type ClientName, type McpClient } from '../../mcp-clients/clients.js';
import { JsonTextError } from '../../mcp-clients/json-text.js';
import { diffLines } from '../../mcp-clients/line-diff.js';
import { readSettings, writeSettings } from '../../mcp-clients/settings-file.js';
import { TomlTextError } from '../../mcp-clients/toml-text.js';

const HIDDEN_TOKEN = 'msk_…';

interface Installed {
  client: ClientName;
  file: string;
  /** True if the file was written. */
  written: boolean;
  /** True if the file contains the token itself. */
  containsToken: boolean;
}

export default class McpInstall extends BaseCommand<typeof McpInstall> {
  static override description = 'add the tools to the settings of an agent client; shows the change and asks first';

  static override examples = [
    '<%= config.bin %> <%= command.id %> claude',
    '<%= config.bin %> <%= command.id %> cursor --repository --project atlas',
    '<%= config.bin %> <%= command.id %> vscode --tools core --print',
  ];

  static override args = {
    client: Args.string({
      description: 'the client: Claude Code, Claude Desktop, Cursor, VS Code or Codex',
      options: [...CLIENT_NAMES],
      required: true,
    }),
  };

  static override flags = {
    name: Flags.string({ default: 'memory', description: 'name of the server in the settings' }),
    print: Flags.boolean({ description: 'print the settings, and write nothing' }),
    project: Flags.string({ description: 'bind the connection to this project' }),
    repository: Flags.boolean({ description: 'write the settings of the repository in this folder, not your own' }),
    'subject-key': Flags.string({ description: 'bind the connection to this subject' }),
    tools: Flags.string({ description: 'which tools to offer', options: ['all', 'core'] }),
    'write-token': Flags.boolean({ description: 'write the token itself, not a reference to MEMORY_TOKEN' }),
    yes: Flags.boolean({ char: 'y', description: 'write without asking' }),
  };

  override async run(): Promise<Installed> {
    const name = this.args.client as ClientName;
    const client = CLIENTS[name];
    const file = this.fileOf(client);
    const containsToken = this.flags['write-token'] || (client.tokenSource === undefined && !this.flags.repository);
    const connection = await this.connection();
    const installed = { client: name, file, written: false, containsToken };
    if (this.flags.print) {
      const token = this.flags['write-token'] ? connection.token : HIDDEN_TOKEN;
      const shown = { ...connection, token: containsToken ? token : undefined };
      this.log(this.settingsOf(client, file, '', shown).trimEnd());
      return installed;
    }
    if (containsToken) this.assertMayContainToken(connection, file);
    const before = await readSettings(file);
    const written = { ...connection, token: containsToken ? connection.token : undefined };
    const after = this.settingsOf(client, file, before, written);
    if (after === before) {
      this.log(`${file} has these settings already`);
      return installed;
    }
    this.showChange(file, before, after, connection.token);
    if (!(await this.isConfirmed())) {
      this.log('nothing was written');
      return installed;
    }
    await writeSettings(file, after);
    this.log(`wrote ${file}`);
    if (containsToken) this.log('it contains your access token: keep it private');
    else
      this.log(`${client.title} gets the token from ${client.tokenSource ?? 'the environment variable MEMORY_TOKEN'}`);
    this.log(client.next);
    return { ...installed, written: true };
  }

  private assertMayContainToken(connection: Connection, file: string): void {
    requireToken(connection);
    if (!this.flags.repository) return;
    this.logToStderr(`warning: ${file} is shared with everybody who has this repository, and will contain your token`);
  }

  private fileOf(client: McpClient): string {
    const places = { platform: process.platform, env: process.env, home: homedir(), folder: process.cwd() };
    if (!this.flags.repository) return client.ownFile(places);
    if (client.sharedFile === undefined) throw this.usage(`${client.title} has no settings in a repository`);
    return join(places.folder, client.sharedFile);
  }

  private settingsOf(client: McpClient, file: string, before: string, connection: Connection): string {
    const { name, project, tools, 'subject-key': subjectKey } = this.flags;
    if ([project, subjectKey].some((value) => value?.trim() === ''))
      throw this.usage('a subject or project is not empty');
    try {
      return client.write(before, name, { ...connection, project, subjectKey, tools });
    } catch (error) {
      if (!(error instanceof JsonTextError) && !(error instanceof TomlTextError)) throw error;
      throw this.usage(`${file} was not changed: ${error.message}. Add the output of --print by hand`);
    }
  }

  /** Shows the change on standard error, without the token. */
  private showChange(file: string, before: string, after: string, token: string | undefined): void {
    const hide = (text: string) => (token === undefined ? text : text.replaceAll(token, HIDDEN_TOKEN));
    this.logToStderr(`${before === '' ? 'new file' : 'change of'} ${file}`);
    for (const line of diffLines(hide(before), hide(after))) this.logToStderr(line);
  }

  private async isConfirmed(): Promise<boolean> {
    if (this.flags.yes) return true;
    if (!process.stdin.isTTY || this.jsonEnabled()) {
      this.error('Nothing was written: add --yes to write the file', { exit: EXIT.usage });
    }
    process.stderr.write('Write it? [y/N] ');
    const lines = createInterface({ input: process.stdin });
    try {
      for await (const line of lines) return /^y(?:es)?$/i.test(line.trim());
      return false;
    } finally {
      lines.close();
    }
  }
}
