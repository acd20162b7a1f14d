import type { Member } from '@memory-service/sdk';
import { ROLES } from '@memory-service/sdk/constants';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../base-command.js';

export default class MembersUpdate extends BaseCommand<typeof MembersUpdate> {
  static override description = 'change the role of a member; for owners';

  static override examples = [
    '<%= config.bin %> <%= command.id %> 0198c5a1-0000-7a31-9c55-1d2e3f4a5b6c --role readonly',
  ];

  static override args = {
    userId: Args.string({ description: 'user id of the member', required: true }),
  };

  static override flags = {
    role: Flags.option({ description: 'the new role', options: ROLES, required: true })(),
  };

  override async run(): Promise<Member> {
    const client = await this.client();
    const member = await client.members.update(this.args.userId, { role: this.flags.role });
    this.log(`${member.email} is ${member.role}`);
    return member;
  }
}
