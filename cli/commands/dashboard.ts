import type { SignInLink } from '@memory-service/sdk';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../base-command.js';
import { openBrowser } from '../lib/connection/open-browser.js';

export default class Dashboard extends BaseCommand<typeof Dashboard> {
  static override description = 'open the dashboard as you, and print the link; it works once, within 15 minutes';

  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --no-open'];

  static override flags = {
    open: Flags.boolean({
      allowNo: true,
      description: 'open the link in the browser of this machine; default: if the output is a terminal',
    }),
  };

  override async run(): Promise<SignInLink> {
    const { baseUrl } = await this.connection();
    const client = await this.client();
    const { link, expiresAt } = await client.session.createLink();
    const url = new URL(link, baseUrl);
    this.log(url.href);
    if (this.flags.open ?? (process.stdout.isTTY && !this.jsonEnabled())) await this.open(url);
    return { link: url.href, expiresAt };
  }

  /** The link is printed already, so a machine without a browser is no failure. */
  private async open({ protocol, href }: URL): Promise<void> {
    const isWeb = protocol === 'https:' || protocol === 'http:';
    try {
      if (isWeb) await openBrowser(href);
    } catch {
      this.logToStderr('no browser was found: open the link yourself');
    }
  }
}
