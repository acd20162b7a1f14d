import type { InboundKind, InboundWebhookWithSecret } from '@memory-service/sdk';
import { INBOUND_EVENTS, INBOUND_KINDS } from '@memory-service/sdk/constants';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../../base-command.js';

export default class WebhooksInboundCreate extends BaseCommand<typeof WebhooksInboundCreate> {
  static override description = 'let a code host or an issue tracker create memories; the secret is shown only once';

  static override examples = [
    '<%= config.bin %> <%= command.id %> codehost --name acme/api',
    '<%= config.bin %> <%= command.id %> tracker --name platform --event Issue',
  ];

  static override args = {
    kind: Args.string({ description: 'kind of sender', options: [...INBOUND_KINDS], required: true }),
  };

  static override flags = {
    event: Flags.option({
      description: 'event to accept; default: all; repeatable',
      multiple: true,
      multipleNonGreedy: true,
      options: INBOUND_EVENTS,
    })(),
    name: Flags.string({ description: 'display name', required: true }),
  };

  override async run(): Promise<InboundWebhookWithSecret> {
    const client = await this.client();
    const { baseUrl } = await this.connection();
    const webhook = await client.inboundWebhooks.create({
      events: this.flags.event,
      kind: this.args.kind as InboundKind,
      name: this.flags.name,
    });
    this.logToStderr(`${webhook.id}  set this URL at the sender: ${baseUrl}${webhook.path}`);
    this.logToStderr('save the secret: it is not shown again');
    this.log(webhook.secret);
    return webhook;
  }
}
