import { BaseCommand } from '../base-command.js';
import { EXIT } from '../exit-codes.js';
import { type Finding, findings } from '../lib/connection/doctor.js';

export default class Doctor extends BaseCommand<typeof Doctor> {
  static override description = 'check the connection, versions, clock and credentials, and suggest fixes';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<{ findings: Finding[] }> {
    const connection = await this.connection();
    const client = await this.clientOf(connection);
    const found = await findings(client, connection, this.config.version);
    for (const { check, ok, text, advice } of found) {
      this.log(`${ok ? 'ok  ' : 'FAIL'}  ${check}: ${text}`);
      if (!ok && advice !== undefined) this.log(`      ${advice}`);
    }
    if (found.some(({ ok }) => !ok)) process.exitCode = EXIT.failed;
    return { findings: found };
  }
}
