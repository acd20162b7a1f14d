import type { OutboundWebhookWithSecret } from '@memory-service/sdk';
import { OUTBOUND_EVENTS } from '@memory-service/sdk/constants';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../../base-command.js';

export default class WebhooksOutboundCreate extends BaseCommand<typeof WebhooksOutboundCreate> {
  static override description = 'report changes to your endpoint; the signing secret is shown only once';

  static override examples = [
    '<%= config.bin %> <%= command.id %> https://example.com/hooks/memory --event memory.ingested',
  ];

  static override args = {
    url: Args.string({ description: 'https URL of the endpoint', required: true }),
  };

  static override flags = {
    description: Flags.string({ description: 'free text' }),
    event: Flags.option({
      description: 'event to report; default: all; repeatable',
      multiple: true,
      multipleNonGreedy: true,
      options: OUTBOUND_EVENTS,
    })(),
  };

  override async run(): Promise<OutboundWebhookWithSecret> {
    const { description, event } = this.flags;
    const client = await this.client();
    const events = event ?? [...OUTBOUND_EVENTS];
    const webhook = await client.outboundWebhooks.create({ description, events, url: this.args.url });
    this.logToStderr(`${webhook.id}  save the secret: it is not shown again`);
    this.log(webhook.secret);
    return webhook;
  }
}
