import { BaseCommand } from '../base-command.js';
import { loginPath, readProfiles, removeProfile } from '../lib/connection/login-file.js';

export default class Logout extends BaseCommand<typeof Logout> {
  static override description =
    'delete the access token of the current profile, or of --profile; the token itself stays valid';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --profile staging',
  ];

  override async run(): Promise<{ removed: string }> {
    const path = loginPath(this.config.configDir);
    const { current, profiles } = await readProfiles(path);
    const profile = this.flags.profile ?? current;
    if (this.flags.profile === undefined && !profiles[profile]) throw this.usage('there is no login to delete');
    await removeProfile(path, profile);
    this.log(`removed profile ${profile} from ${path}`);
    return { removed: profile };
  }
}
