import { BaseCommand } from '../base-command.js';
import { loginPath, writeLogin } from '../lib/login-file.js';
import { askSecret } from '../lib/secret-prompt.js';

export default class Login extends BaseCommand<typeof Login> {
  static override description = 'check an access token, and save it with the address of its service';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --base-url https://memory.example.com',
    'pass show memory | <%= config.bin %> <%= command.id %> --base-url https://memory.example.com',
  ];

  override async run(): Promise<{ baseUrl: string; organizationId: string }> {
    const { baseUrl } = await this.connection();
    const token = this.flags.token ?? (await askSecret(`Access token for ${baseUrl}: `));
    if (token === '') throw this.usage('pass a token: at the prompt, on standard input, or as MEMORY_TOKEN');
    const client = await this.clientOf({
      baseUrl,
      token,
      organizationId: this.flags.organization,
      source: 'flags or environment',
    });
    const { organization, user } = await client.session.get();
    if (!organization) throw this.usage('the token allows several organizations: choose one with --organization');
    const path = loginPath(this.config.configDir);
    await writeLogin(path, { baseUrl, token, organizationId: organization.id });
    this.log(`logged in as ${user.email} to ${organization.name} (${organization.id})`);
    this.log(`saved in ${path}`);
    return { baseUrl, organizationId: organization.id };
  }
}
