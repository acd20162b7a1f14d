import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, HttpClient, type SentHeaders } from '../testing/app/http-client.js';
import type { Place } from '../testing/processes/found-organizations.js';
import { Tally } from './tally.js';

/** A pause after an answer that says to come back later, so that an attack does not merely count refusals. */
const REFUSED_PAUSE_MS = 100;
/** How long it may take to get ready. */
const READY_MS = 30_000;
const MOST_SENT = 10_000;
const GRANTED = 'HTTP/1.1 200';
const JSON_TYPE = { 'content-type': 'application/json' };

interface Sending {
  body?: unknown;
  /** That of the first tenant unless given; null for none. */
  token?: string | null;
  headers?: SentHeaders;
  /** The address that the connection comes from, of this machine. */
  from?: string;
}

export interface Scale {
  /** Whether the attack runs for a few seconds only. */
  isShort: boolean;
  /** Aborted when the time is over. */
  signal: AbortSignal;
  /** Begins the time anew. @param ms how long it is; that of an attack unless given */
  restart(ms?: number): void;
}

/** What an attack works with: clients, bare sockets, and the tally of what came back. */
export class Attacker {
  readonly tally = new Tally();
  readonly isShort: boolean;
  readonly signal: AbortSignal;
  private readonly clients = new Map<string, HttpClient>();
  private readonly sockets = new Set<Socket>();
  private sent = 0;
  /** Answers with 200 that began and are not read. */
  begun = 0;

  constructor(
    readonly port: number,
    /** Organizations of the attack alone. */
    readonly tenants: readonly Place[],
    private readonly scale: Scale,
  ) {
    this.isShort = scale.isShort;
    this.signal = scale.signal;
    this.signal.addEventListener('abort', () => this.close(), { once: true });
  }

  get token(): string {
    return this.tenants[0]?.token ?? '';
  }

  /** Begins the time of the attack, for one that had to get ready first. */
  ready(): void {
    this.scale.restart();
  }

  /** Does what must be done before the attack, within a time of its own, and begins the time of the attack. */
  async getReady<T>(work: () => Promise<T>): Promise<T> {
    this.scale.restart(READY_MS);
    const made = await work();
    this.ready();
    return made;
  }

  /**
   * Sends a request again until it is granted: what was attacked before may still be busy.
   *
   * @throws when it is refused for another reason, or not granted in time
   */
  async must(method: string, path: string, sending?: Sending): Promise<Answer> {
    let last = 'no answer';
    while (!this.signal.aborted) {
      const answer = await this.send(method, path, sending);
      if (answer && answer.status < 300) return answer;
      if (answer) last = `${answer.status} ${answer.text}`;
      if (answer && answer.status !== 429 && answer.status !== 503) break;
      await this.pause(REFUSED_PAUSE_MS);
    }
    this.tally.missed.push(`${method} ${path} is needed first, and was answered with ${last}`);
    throw new Error('The attack could not be made ready');
  }

  /** Sends a request and counts its answer. @param body a string is sent as it is @throws if the connection breaks */
  async ask(method: string, path: string, { body, token, headers, from }: Sending = {}): Promise<Answer> {
    const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const authorization = token === null ? undefined : `Bearer ${token ?? this.token}`;
    const sent = { authorization, ...(payload !== undefined && JSON_TYPE), ...headers };
    const startedAt = performance.now();
    this.tally.sent += 1;
    const answer = await this.client(from).send(method, path, payload, sent);
    this.tally.take(method, path, answer, performance.now() - startedAt);
    return answer;
  }

  /** The same; undefined if the connection breaks, which is counted too. */
  async send(method: string, path: string, sending?: Sending): Promise<Answer | undefined> {
    try {
      return await this.ask(method, path, sending);
    } catch {
      if (!this.signal.aborted) this.tally.count(0);
      return undefined;
    }
  }

  /** Runs `work` again and again in `loops` loops until the time is over. */
  async repeat(loops: number, work: (n: number) => Promise<Answer | undefined>): Promise<void> {
    const loop = async () => {
      while (!this.signal.aborted && this.sent < MOST_SENT) {
        const answer = await work(this.sent++);
        if (!answer || answer.status === 429 || answer.status === 503) await this.pause(REFUSED_PAUSE_MS);
      }
    };
    await Promise.all(Array.from({ length: loops }, loop));
  }

  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.signal }).catch(() => undefined);
  }

  /** A bare connection that sends `text`, and reads no more than the status of the first answer. */
  unread(text: string, from?: string): Socket {
    const socket = this.socket(text, from);
    socket.pause();
    socket.once('readable', () => {
      if (String(socket.read(GRANTED.length)) === GRANTED) this.begun += 1;
    });
    return socket;
  }

  /** A bare connection that sends `text` and throws away what comes; closed with the attack. */
  socket(text: string, from?: string): Socket {
    const socket = connect({ port: this.port, host: '127.0.0.1', ...(from !== undefined && { localAddress: from }) });
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
    socket.resume();
    // One that begins after the attack would disturb the next one.
    if (this.signal.aborted) socket.destroy();
    else socket.write(text);
    return socket;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    for (const client of this.clients.values()) client.close();
  }

  private client(from = '127.0.0.1'): HttpClient {
    const client = this.clients.get(from) ?? new HttpClient(this.port, from);
    this.clients.set(from, client);
    return client;
  }
}

/** The head of a request for a bare connection, with its first bytes of a body. */
export function head(line: string, headers: Readonly<Record<string, string | number>>, body = ''): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** Whether a bare connection still waits for an answer. */
export function isUnanswered({ closed, bytesRead }: Socket): boolean {
  return !closed && bytesRead === 0;
}
