import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { PAGE_LIMIT } from '@memory-service/sdk/constants';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../base-command.js';
import { auditFlags, toAuditQuery } from '../../lib/flags/audit-flags.js';
import { printText } from '../../lib/output/print-line.js';

export default class AuditExport extends BaseCommand<typeof AuditExport> {
  static override description = 'write the audit events of the organization as lines of JSON or as CSV; for owners';

  static override enableJsonFlag = false;

  static override examples = [
    '<%= config.bin %> <%= command.id %> --format csv --output audit.csv',
    '<%= config.bin %> <%= command.id %> --source dashboard --since 2026-03-01T00:00:00Z',
  ];

  static override flags = {
    ...auditFlags,
    format: Flags.option({
      default: 'ndjson',
      description: 'format of the events',
      options: ['ndjson', 'csv'] as const,
    })(),
    output: Flags.string({ char: 'o', description: 'file to write instead of standard output' }),
  };

  override async run(): Promise<void> {
    const { output } = this.flags;
    if (output === undefined) return this.writeTo(process.stdout);
    const file = createWriteStream(output, { mode: 0o600 });
    await this.writeTo(file);
    file.end();
    await finished(file);
    this.logToStderr(`audit events in ${output}`);
  }

  private async writeTo(stream: NodeJS.WritableStream): Promise<void> {
    const { format, output: _, ...selected } = this.flags;
    const client = await this.client();
    const query = { ...toAuditQuery(selected), format, limit: PAGE_LIMIT.maximum };
    for await (const text of client.audit.export(query)) await printText(stream, text);
  }
}
