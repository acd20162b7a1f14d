import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

const REPLIES: Readonly<Record<string, string>> = { DATA: '354 go on', QUIT: '221 bye' };

/** A received mail. */
export interface Mail {
  readonly recipients: readonly string[];
  /** Head and body, its transfer encoding undone. */
  readonly text: string;
}

/** A mail server of the suite's own, which takes whatever a deployment sends, and sends nothing on. */
export class Mailbox implements AsyncDisposable {
  readonly received: Mail[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket.on('close', () => this.sockets.delete(socket)));
      converse(socket, (mail) => this.received.push(mail));
    });
  }

  static async listen(host: string, port: number): Promise<Mailbox> {
    const server = createServer().listen(port, host);
    await once(server, 'listening');
    return new Mailbox(server);
  }

  /** Returns the mails for an address, newest last. */
  to(address: string): Mail[] {
    return this.received.filter(({ recipients }) => recipients.includes(address.toLowerCase()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.server.close(), 'close');
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

/** Implements the part of SMTP that clients need to send messages. */
function converse(socket: Socket, take: (mail: Mail) => void): void {
  let rest = '';
  let recipients: string[] = [];
  let message: string[] | undefined;
  const hear = (line: string): string | undefined => {
    if (message && line !== '.') {
      message.push(line.replace(/^\./, ''));
      return undefined;
    }
    if (message) {
      take({ recipients, text: decode(message.join('\r\n')) });
      message = undefined;
      recipients = [];
      return '250 taken';
    }
    const recipient = /^RCPT TO:<([^>]+)>/i.exec(line)?.[1];
    if (recipient !== undefined) recipients.push(recipient.toLowerCase());
    const command = line.toUpperCase();
    if (command === 'DATA') message = [];
    return REPLIES[command] ?? '250 ok';
  };
  // A client may leave in the middle.
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString('utf8')).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const reply = hear(line);
      if (reply !== undefined) socket.write(`${reply}\r\n`);
      if (reply === REPLIES.QUIT) socket.end();
    }
  });
  socket.write('220 ready\r\n');
}

/** The encodings that mail of plain text comes in. */
function decode(message: string): string {
  const [head = '', ...body] = message.split('\r\n\r\n');
  const text = body.join('\r\n\r\n');
  const [, encoding = ''] = /^content-transfer-encoding: *(\S+)/im.exec(message) ?? [];
  if (encoding.toLowerCase() === 'base64') return `${head}\r\n\r\n${Buffer.from(text, 'base64').toString('utf8')}`;
  if (encoding.toLowerCase() !== 'quoted-printable') return message;
  const joined = text.replace(/=\r\n/g, '');
  return `${head}\r\n\r\n${joined.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))}`;
}
