import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../base-command.js';
import { loginPath, readProfiles, unknownProfile, writeProfiles } from '../../lib/connection/login-file.js';

export default class ProfilesUse extends BaseCommand<typeof ProfilesUse> {
  static override description = 'make a profile the current one';

  static override examples = ['<%= config.bin %> <%= command.id %> staging'];

  static override args = {
    name: Args.string({ description: 'name of the profile', required: true }),
  };

  override async run(): Promise<{ current: string }> {
    const path = loginPath(this.config.configDir);
    const { profiles } = await readProfiles(path);
    const login = profiles[this.args.name];
    if (!login) throw unknownProfile(this.args.name, profiles);
    await writeProfiles(path, { current: this.args.name, profiles });
    this.log(`using profile ${this.args.name} (${login.baseUrl})`);
    return { current: this.args.name };
  }
}
