import { createTransport, type Transporter } from 'nodemailer';
import { type Mail, type Mailer, MailUnavailableError } from '../../ports/mailer.js';

const TIMEOUT_MS = 10_000;

/** Sends mail through an SMTP server. */
export class SmtpMailer implements Mailer {
  private readonly transport: Transporter;

  /**
   * @param url `smtp://` or `smtps://`, with credentials if the server requires them
   * @param from the sender's address
   */
  constructor(
    url: string,
    private readonly from: string,
  ) {
    this.transport = createTransport({
      url,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      // Messages contain only text that the service wrote, so nothing is ever fetched for them.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send({ to, subject, text }: Mail): Promise<void> {
    try {
      // An object, since a string could be parsed as several addresses.
      await this.transport.sendMail({ from: this.from, to: { name: '', address: to }, subject, text });
    } catch (cause) {
      throw new MailUnavailableError('The mail server did not accept the message', { cause: withoutAddress(cause) });
    }
  }
}

/** Returns an error without the server's text, which often quotes the address. The cause goes to the log. */
function withoutAddress(cause: unknown): Error {
  const { code, responseCode } = cause as { code?: unknown; responseCode?: unknown };
  return new Error(`SMTP failed: ${[code, responseCode].filter((part) => part !== undefined).join(' ')}`);
}
