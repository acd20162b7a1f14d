import { BaseCommand } from '../base-command.js';
import { loginPath, removeLogin } from '../lib/login-file.js';

export default class Logout extends BaseCommand<typeof Logout> {
  static override description = 'delete the access token that login saved; the token itself stays valid';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<{ removed: string }> {
    const path = loginPath(this.config.configDir);
    await removeLogin(path);
    this.log(`removed ${path}`);
    return { removed: path };
  }
}
