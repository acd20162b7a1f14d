import { createTransport, type Transporter } from 'nodemailer';
import { type Mail, type Mailer, MailUnavailableError } from '../../ports/mailer.js';

const TIMEOUT_MS = 10_000;

/** Hands mail to an SMTP server. */
export class SmtpMailer implements Mailer {
  private readonly transport: Transporter;

  /**
   * @param url `smtp://` or `smtps://`, with the credentials where the server wants some
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
      // A message is text that the service wrote: nothing is ever fetched for it.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send({ to, subject, text }: Mail): Promise<void> {
    try {
      // As an object, since a text could be read as several addresses.
      await this.transport.sendMail({ from: this.from, to: { name: '', address: to }, subject, text });
    } catch (cause) {
      throw new MailUnavailableError('The mail server did not take the message', { cause: withoutAddress(cause) });
    }
  }
}

/** What a server answers often quotes the address, and the cause goes to the log. */
function withoutAddress(cause: unknown): Error {
  const { code, responseCode } = cause as { code?: unknown; responseCode?: unknown };
  return new Error(`SMTP failed: ${[code, responseCode].filter((part) => part !== undefined).join(' ')}`);
}
