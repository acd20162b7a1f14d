import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

const REPLIES: Readonly<Record<string, string>> = { DATA: '354 go on', QUIT: '221 bye' };

/** Implements as much of an SMTP server as a client needs to send messages. Stops when the test ends. */
export class SmtpServer {
  readonly commands: string[] = [];
  /** The messages as received. */
  data = '';

  private constructor(
    private readonly server: Server,
    private readonly toRecipients: string,
  ) {
    server.on('connection', (socket) => this.converse(socket));
  }

  /** @param toRecipients the answer to each recipient */
  static async start(toRecipients = '250 ok'): Promise<SmtpServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const started = new SmtpServer(server, toRecipients);
    onTestFinished(() => started.stop());
    return started;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }

  private converse(socket: Socket): void {
    let rest = '';
    let inData = false;
    const take = (line: string) => {
      if (inData) this.data += `${line}\r\n`;
      else this.commands.push(line);
      if (inData && line !== '.') return;
      socket.write(`${inData ? '250 taken' : this.replyTo(line)}\r\n`);
      if (line === 'QUIT') socket.end();
      inData = line === 'DATA';
    };
    // A client whose mail was rejected may disconnect early.
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('utf8')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    });
    socket.write('220 ready\r\n');
  }

  private replyTo(command: string): string {
    return command.startsWith('RCPT') ? this.toRecipients : (REPLIES[command] ?? '250 ok');
  }
}
