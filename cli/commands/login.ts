import { BaseCommand } from '../base-command.js';
import { DEFAULT_BASE_URL } from '../lib/connection/connection.js';
import { checkProfileName, loginPath, readProfiles, writeProfiles } from '../lib/connection/login-file.js';
import { askSecret } from '../lib/connection/secret-prompt.js';

export default class Login extends BaseCommand<typeof Login> {
  static override description = 'check an access token, and save it with the address of its service as a profile';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --base-url https://memory.example.com',
    '<%= config.bin %> <%= command.id %> --base-url https://staging.example.com --profile staging',
    'pass show memory | <%= config.bin %> <%= command.id %> --base-url https://memory.example.com',
  ];

  override async run(): Promise<{ baseUrl: string; organizationId: string; profile: string }> {
    const path = loginPath(this.config.configDir);
    const { current, profiles } = await readProfiles(path);
    const profile = checkProfileName(this.flags.profile ?? current);
    const baseUrl = await this.baseUrlFor(profile);
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
    const login = { baseUrl, token, organizationId: organization.id };
    const isFirst = profiles[current] === undefined;
    await writeProfiles(path, { current: isFirst ? profile : current, profiles: { ...profiles, [profile]: login } });
    this.log(`logged in as ${user.email} to ${organization.name} (${organization.id})`);
    this.log(`saved as profile ${profile} in ${path}`);
    if (!isFirst && profile !== current) {
      this.logToStderr(`${current} stays the current profile: run "memory profiles use ${profile}" to change that`);
    }
    return { baseUrl, organizationId: organization.id, profile };
  }

  /** Returns the address in flags or environment, else that of the profile, else that of a service on this machine. */
  private async baseUrlFor(profile: string): Promise<string> {
    const { profiles } = await readProfiles(loginPath(this.config.configDir));
    const isNew = this.flags.profile !== undefined && profiles[profile] === undefined;
    return isNew ? (this.flags['base-url'] ?? DEFAULT_BASE_URL) : (await this.connection()).baseUrl;
  }
}
