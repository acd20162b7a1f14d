import { describe, expect, test } from 'vitest';
import { MailUnavailableError } from '../../ports/mailer.js';
import { SmtpServer } from '../../testing/processes/smtp-server.js';
import { SmtpMailer } from './smtp-mailer.js';

const MAIL = { to: 'ben@example.test', subject: 'Grüße', text: 'first line\n.\nlast line\n' };

describe('SmtpMailer', () => {
  test('sends a message from the configured address to one address', async () => {
    const server = await SmtpServer.start();

    await new SmtpMailer(server.url, 'Memory <memory@example.test>').send(MAIL);

    expect(server.commands).toEqual(
      expect.arrayContaining(['MAIL FROM:<memory@example.test>', 'RCPT TO:<ben@example.test>', 'DATA']),
    );
    expect(server.data).toContain('Subject: =?UTF-8?');
    expect(server.data).toContain('first line\r\n..\r\nlast line');
  });

  test('does not treat a line break in a subject or an address as another header or command', async () => {
    const server = await SmtpServer.start();
    const mailer = new SmtpMailer(server.url, 'memory@example.test');

    await mailer.send({ ...MAIL, subject: 'a\r\nBcc: eve@example.test' });

    expect(server.commands.filter((command) => command.startsWith('RCPT'))).toHaveLength(1);
    expect(server.data).not.toMatch(/^Bcc:/m);
  });

  test('throws MailUnavailableError without the address if the server rejects the message', async () => {
    const server = await SmtpServer.start('550 5.1.1 <ben@example.test> is unknown here');

    const sending = new SmtpMailer(server.url, 'memory@example.test').send(MAIL);

    const error = await sending.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MailUnavailableError);
    expect(String((error as Error).cause)).toContain('550');
    expect(`${error} ${(error as Error).cause}`).not.toContain('ben@');
  });

  test('throws MailUnavailableError if nobody listens', async () => {
    const server = await SmtpServer.start();
    const mailer = new SmtpMailer(server.url, 'memory@example.test');
    await server.stop();

    await expect(mailer.send(MAIL)).rejects.toThrow(MailUnavailableError);
  });
});
