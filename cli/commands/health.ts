import type { Readiness } from '@memory-service/sdk';
import { BaseCommand } from '../base-command.js';
import { EXIT } from '../exit-codes.js';

export default class Health extends BaseCommand<typeof Health> {
  static override description = 'show if the service can process requests; requires no token';

  static override examples = ['<%= config.bin %> <%= command.id %> --base-url https://memory.example.com'];

  override async run(): Promise<Readiness> {
    const client = await this.clientOf(await this.connection());
    const readiness = await client.health.ready();
    this.log(readiness.status);
    for (const [name, { status, detail, latencyMs }] of Object.entries(readiness.checks)) {
      const latency = latencyMs === undefined ? '' : `  ${latencyMs} ms`;
      this.log(`  ${name}: ${status}${latency}${detail === undefined ? '' : `  ${detail}`}`);
    }
    if (readiness.status === 'down') process.exitCode = EXIT.later;
    return readiness;
  }
}
