import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../base-command.js';
import { loginPath, removeProfile } from '../../lib/connection/login-file.js';

export default class ProfilesRemove extends BaseCommand<typeof ProfilesRemove> {
  static override description = 'delete a profile with its access token; the token itself stays valid';

  static override examples = ['<%= config.bin %> <%= command.id %> staging'];

  static override args = {
    name: Args.string({ description: 'name of the profile', required: true }),
  };

  override async run(): Promise<{ removed: string; current: string | undefined }> {
    const { current, profiles } = await removeProfile(loginPath(this.config.configDir), this.args.name);
    const isLeft = profiles[current] !== undefined;
    this.log(`removed profile ${this.args.name}`);
    if (isLeft) this.logToStderr(`the current profile is ${current}`);
    return { removed: this.args.name, current: isLeft ? current : undefined };
  }
}
