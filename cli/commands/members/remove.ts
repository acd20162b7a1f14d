import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../base-command.js';

export default class MembersRemove extends BaseCommand<typeof MembersRemove> {
  static override description = 'remove a member, or leave the organization yourself';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a1-0000-7a31-9c55-1d2e3f4a5b6c'];

  static override args = {
    userId: Args.string({ description: 'user id of the member', required: true }),
  };

  override async run(): Promise<{ userId: string; removed: true }> {
    const client = await this.client();
    await client.members.remove(this.args.userId);
    this.log(`removed  ${this.args.userId}`);
    return { userId: this.args.userId, removed: true };
  }
}
