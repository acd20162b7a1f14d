/** Sends mail. */
export interface Mailer {
  /** Resolves when a server has taken the message over. @throws {MailUnavailableError} */
  send(message: Mail): Promise<void>;
}

export interface Mail {
  /** One address. */
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
}

/** The message was not sent. The text names no address and quotes nothing. */
export class MailUnavailableError extends Error {
  override name = 'MailUnavailableError';
}
