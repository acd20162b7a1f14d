import type { CreatedInvitation } from '@memory-service/sdk';
import { ROLES } from '@memory-service/sdk/constants';
import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../../base-command.js';

export default class InvitationsCreate extends BaseCommand<typeof InvitationsCreate> {
  static override description = 'invite somebody to the organization; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %> ben@example.com --role member'];

  static override args = {
    email: Args.string({ description: 'address of the invitee', required: true }),
  };

  static override flags = {
    role: Flags.option({ default: 'member' as const, description: 'role of the invitee', options: ROLES })(),
  };

  override async run(): Promise<CreatedInvitation> {
    const client = await this.client();
    const invitation = await client.invitations.create({ email: this.args.email, role: this.flags.role });
    this.log(`invited ${invitation.email} as ${invitation.role}, until ${invitation.expiresAt}`);
    if (invitation.link !== undefined) {
      // A service that was not told its own address gives the path alone.
      const { baseUrl } = await this.connection();
      this.log(`hand on this link, once: ${new URL(invitation.link, baseUrl)}`);
    }
    return invitation;
  }
}
