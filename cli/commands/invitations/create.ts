import type { CreatedInvitation } from '@memory-service/sdk';
import { ROLES } from '@memory-service/sdk/constants';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../base-command.js';

export default class InvitationsCreate extends BaseCommand<typeof InvitationsCreate> {
  static override description = 'invite a person to the organization; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %> ben@example.com --role member'];

  static override args = {
    email: Args.string({ description: 'e-mail address of the invitee', required: true }),
  };

  static override flags = {
    role: Flags.option({ default: 'member' as const, description: 'role of the invitee', options: ROLES })(),
  };

  override async run(): Promise<CreatedInvitation> {
    const client = await this.client();
    const invitation = await client.invitations.create({ email: this.args.email, role: this.flags.role });
    this.log(`invited ${invitation.email} as ${invitation.role}, until ${invitation.expiresAt}`);
    if (invitation.link !== undefined) {
      // A service that does not know its public address returns only the path.
      const { baseUrl } = await this.connection();
      this.log(`send this link to the invitee; it is not shown again: ${new URL(invitation.link, baseUrl)}`);
    }
    return invitation;
  }
}
