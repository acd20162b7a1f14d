import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

/** What a driver says to a server again and again, to know how it is. */
const GREETING = 'hello';
const HEADER_BYTES = 16;
const OP_MSG = 2013;
/** Header, flags and the kind of the first section. */
const BODY_AT = 21;

/** What happens to a command: the connection is cut before or after the server did it, or a failure is the answer. */
export type Fault =
  | { kind: 'cut-before' }
  | { kind: 'cut-after' }
  | { kind: 'answer'; reply: Document }
  /** The server does it, and the driver is told otherwise. */
  | { kind: 'answer-after'; reply: Document }
  /** In place of a commit the server gives the transaction up, and the driver is told why. */
  | { kind: 'abort'; reply: Document };

/** Names of the commands to fail, as they come: each entry is used once. */
export interface ScriptedFault {
  command: string;
  fault: Fault;
}

/** Stands between a driver and a deployment, and does to commands what a script says. */
export class FaultProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #target: { host: string; port: number };
  #script: ScriptedFault[] = [];
  /** Names of the commands that passed, and those that met a fault. */
  readonly seen: string[] = [];
  readonly met: string[] = [];
  /** The script that holds, by its number, and the commands one after the other that have been answered since. */
  #run = 0;
  #waits = 0;

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** @param uri of the deployment: one host, without TLS */
  static async start(uri: string): Promise<FaultProxy> {
    const { hostname, port } = new URL(uri);
    const proxy = new FaultProxy({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The connection string that leads through the proxy. */
  through(uri: string): string {
    const url = new URL(uri);
    url.hostname = '127.0.0.1';
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** Connections of drivers that are open. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  /** How many times somebody waited for an answer before the next command went out. */
  get waits(): number {
    return this.#waits;
  }

  /** From now on these commands fail, in this order; what came before is forgotten. */
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
    /** What each question under way is to meet, in their order, and what its answer means to who waits. */
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
        if (fault?.kind === 'answer') {
          client.write(replyTo(frame, fault.reply));
        } else {
          pending.push({ fault, answered: this.#wait(frame) });
          upstream.write(fault?.kind === 'abort' ? abortInPlaceOf(frame) : frame);
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

  /** What to do when a command is answered: it came after all that had been answered when it went out. */
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

/** Puts messages together from what comes in. */
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

/** Undefined for what a driver says when it connects. */
function commandName(frame: Buffer): string | undefined {
  if (frame.readInt32LE(12) !== OP_MSG) return undefined;
  // The first element of the body: its kind, then its name.
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
