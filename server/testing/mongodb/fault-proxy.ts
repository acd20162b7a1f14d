import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

/** The command with which drivers monitor a server. */
const GREETING = 'hello';
const HEADER_BYTES = 16;
const OP_MSG = 2013;
/** The length of the header, the flags and the kind of the first section. */
const BODY_AT = 21;

/** Cuts the connection before or after the server runs a command, or returns an error. */
export type Fault =
  | { kind: 'cut-before' }
  | { kind: 'cut-after' }
  | { kind: 'answer'; reply: Document }
  /** The server runs it, but the driver gets another reply. */
  | { kind: 'answer-after'; reply: Document }
  /** Instead of a commit, the server aborts the transaction, and the driver gets the reason. */
  | { kind: 'abort'; reply: Document };

/** The names of the commands to fail, in order. Each entry is used once. */
export interface ScriptedFault {
  command: string;
  fault: Fault;
}

/** Forwards between a driver and a deployment, and injects the faults of a script. */
export class FaultProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #target: { host: string; port: number };
  #script: ScriptedFault[] = [];
  /** The names of the commands that passed, and of those that met a fault. */
  readonly seen: string[] = [];
  readonly met: string[] = [];
  /** Replaces a command, or answers it in place of the server. Returns undefined to forward it unchanged. */
  intercept: ((command: Document) => { command: Document } | { reply: Document } | undefined) | undefined;
  /** The number of the current script, and the sequential commands answered since it began. */
  #run = 0;
  #waits = 0;

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** @param uri a deployment with one host, without TLS */
  static async start(uri: string): Promise<FaultProxy> {
    const { hostname, port } = new URL(uri);
    const proxy = new FaultProxy({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Returns a connection string through the proxy. */
  through(uri: string): string {
    const url = new URL(uri);
    url.hostname = '127.0.0.1';
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** The number of open connections of drivers. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  /** How often a driver waited for an answer before it sent the next command. */
  get waits(): number {
    return this.#waits;
  }

  /** Replaces the script: from now on these commands fail, in this order. */
  script(...faults: ScriptedFault[]): void {
    this.#script = faults;
    this.#run += 1;
    this.#waits = 0;
    this.seen.length = 0;
    this.met.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(client: Socket): void {
    const upstream = dial(this.#target);
    const [questions, answers] = [new Frames(), new Frames()];
    /** For each pending command, in order: its fault, and what to call when it is answered. */
    const pending: { fault: Fault | undefined; answered: () => void }[] = [];
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => {
      for (const frame of questions.take(chunk)) {
        const fault = this.#faultFor(frame);
        if (fault?.kind === 'cut-before') return void client.destroy();
        const { answer, forwarded } = this.#treated(frame, fault);
        if (answer) {
          client.write(answer);
        } else {
          pending.push({ fault, answered: this.#wait(frame) });
          upstream.write(forwarded);
        }
      }
    });
    upstream.on('data', (chunk: Buffer) => {
      for (const frame of answers.take(chunk)) {
        const { fault, answered } = pending.shift() ?? {};
        answered?.();
        if (fault?.kind === 'cut-after') return void client.destroy();
        client.write(fault && 'reply' in fault ? withBody(frame, fault.reply) : frame);
      }
    });
  }

  /**
   * Returns an answer in place of the server, or the message to forward. Only `aggregate` can be intercepted: all of it
   * is in the body of its message.
   */
  #treated(frame: Buffer, fault: Fault | undefined): { answer?: Buffer; forwarded: Buffer } {
    if (fault?.kind === 'answer') return { answer: replyTo(frame, fault.reply), forwarded: frame };
    if (fault?.kind === 'abort') return { forwarded: abortInPlaceOf(frame) };
    if (!this.intercept || commandName(frame) !== 'aggregate') return { forwarded: frame };
    const replaced = this.intercept(BSON.deserialize(frame.subarray(BODY_AT), { promoteValues: false }));
    if (!replaced) return { forwarded: frame };
    if ('reply' in replaced) return { answer: replyTo(frame, replaced.reply), forwarded: frame };
    return { forwarded: withBody(frame, replaced.command) };
  }

  /** Counts a command as sequential if all previous answers had arrived when it was sent. */
  #wait(frame: Buffer): () => void {
    const [run, place] = [this.#run, this.#waits + 1];
    const name = commandName(frame);
    if (name === undefined || name === GREETING) return () => {};
    return () => {
      if (run === this.#run) this.#waits = Math.max(this.#waits, place);
    };
  }

  #faultFor(frame: Buffer): Fault | undefined {
    const name = commandName(frame);
    if (name === undefined) return undefined;
    const next = this.#script.findIndex(({ command }) => command === name);
    if (next === -1) {
      this.seen.push(name);
      return undefined;
    }
    this.met.push(name);
    const [scripted] = this.#script.splice(next, 1);
    return scripted?.fault;
  }
}

/** Joins incoming bytes into messages. */
class Frames {
  #pending: Buffer = Buffer.alloc(0);

  *take(chunk: Buffer): Generator<Buffer> {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    while (this.#pending.length >= HEADER_BYTES && this.#pending.length >= this.#pending.readInt32LE(0)) {
      const length = this.#pending.readInt32LE(0);
      yield Buffer.from(this.#pending.subarray(0, length));
      this.#pending = this.#pending.subarray(length);
    }
  }
}

/** Returns undefined for the messages with which a driver connects. */
function commandName(frame: Buffer): string | undefined {
  if (frame.readInt32LE(12) !== OP_MSG) return undefined;
  // The first element of the body: its type, then its name.
  const nameAt = BODY_AT + 5;
  return frame.toString('utf8', nameAt, frame.indexOf(0, nameAt));
}

function replyTo(question: Buffer, reply: Document): Buffer {
  const head = Buffer.alloc(BODY_AT);
  head.writeInt32LE(question.readInt32LE(4), 8);
  head.writeInt32LE(OP_MSG, 12);
  return withBody(head, reply);
}

function abortInPlaceOf(commit: Buffer): Buffer {
  const { commitTransaction: _, ...rest } = BSON.deserialize(commit.subarray(BODY_AT));
  return withBody(commit, { abortTransaction: 1, ...rest });
}

function withBody(answer: Buffer, reply: Document): Buffer {
  const head = Buffer.from(answer.subarray(0, BODY_AT));
  const body = BSON.serialize(reply);
  head.writeInt32LE(BODY_AT + body.length, 0);
  return Buffer.concat([head, body]);
}
