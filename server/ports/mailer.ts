export interface Mailer {
  /** Resolves when a mail server has accepted the message. @throws {MailUnavailableError} */
  send(message: Mail): Promise<void>;
}

export interface Mail {
  /** One address. */
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
}

/** The mail was not sent. The error's message contains neither an address nor any text of the mail. */
export class MailUnavailableError extends Error {
  override name = 'MailUnavailableError';
}
