import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, HttpClient, type SentHeaders } from '../testing/app/http-client.js';
import type { Place } from '../testing/processes/found-organizations.js';
import { Tally } from './tally.js';

/** The pause after a rejected request, so that an attack does more than count rejections. */
const REFUSED_PAUSE_MS = 100;
/** How long the preparation of an attack may take. */
const READY_MS = 30_000;
const MAX_SENT = 10_000;
const GRANTED = 'HTTP/1.1 200';
const JSON_TYPE = { 'content-type': 'application/json' };

interface Sending {
  body?: unknown;
  /** The token of the first tenant by default; null for none. */
  token?: string | null;
  headers?: SentHeaders;
  /** The local address from which the connection comes. */
  from?: string;
}

export interface Scale {
  /** True if the attack runs for a few seconds only. */
  isShort: boolean;
  /** Aborted when the time is over. */
  signal: AbortSignal;
  /** Restarts the time, with a length of `ms`; by default that of an attack. */
  restart(ms?: number): void;
}

/** Gives an attack its clients, raw sockets and a tally of the answers. */
export class Attacker {
  readonly tally = new Tally();
  readonly isShort: boolean;
  readonly signal: AbortSignal;
  private readonly clients = new Map<string, HttpClient>();
  private readonly sockets = new Set<Socket>();
  private sent = 0;
  private readonly firstNumber: number;
  /** The number of answers with 200 that began and are not read. */
  begun = 0;

  constructor(
    readonly port: number,
    /** Organizations used only by the attack. */
    readonly tenants: readonly Place[],
    private readonly scale: Scale,
    /** How many times this attack has already run on this server. */
    earlierRuns = 0,
  ) {
    this.firstNumber = earlierRuns * MAX_SENT;
    this.isShort = scale.isShort;
    this.signal = scale.signal;
    this.signal.addEventListener('abort', () => this.close(), { once: true });
  }

  get token(): string {
    return this.tenants[0]?.token ?? '';
  }

  /** Starts the time of an attack that has finished its preparation. */
  ready(): void {
    this.scale.restart();
  }

  /** Runs the preparation within its own time limit, then starts the time of the attack. */
  async getReady<T>(work: () => Promise<T>): Promise<T> {
    this.scale.restart(READY_MS);
    const made = await work();
    this.ready();
    return made;
  }

  /**
   * Repeats a request until it is accepted, because the target of a previous attack may still be busy.
   *
   * @throws if it is rejected for another reason, or not accepted in time
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
    this.tally.missed.push(`${method} ${path} is required first, and was answered with ${last}`);
    throw new Error('The attack could not be prepared');
  }

  /** Sends a request and counts its answer; a string body is sent unchanged. @throws if the connection breaks */
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

  /** Does the same, but counts a broken connection and returns undefined. */
  async send(method: string, path: string, sending?: Sending): Promise<Answer | undefined> {
    try {
      return await this.ask(method, path, sending);
    } catch {
      if (!this.signal.aborted) this.tally.count(0);
      return undefined;
    }
  }

  /**
   * Repeats `work` in `loops` parallel loops until the time is over. Each call gets another number, also when the attack
   * runs again on the same server: contents made from the number are new.
   */
  async repeat(loops: number, work: (n: number) => Promise<Answer | undefined>): Promise<void> {
    const loop = async () => {
      while (!this.signal.aborted && this.sent < MAX_SENT) {
        const answer = await work(this.firstNumber + this.sent++);
        if (!answer || answer.status === 429 || answer.status === 503) await this.pause(REFUSED_PAUSE_MS);
      }
    };
    await Promise.all(Array.from({ length: loops }, loop));
  }

  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.signal }).catch(() => undefined);
  }

  /** Opens a raw connection that sends `text` and reads only the status of the first answer. */
  unread(text: string, from?: string): Socket {
    const socket = this.socket(text, from);
    socket.pause();
    socket.once('readable', () => {
      if (String(socket.read(GRANTED.length)) === GRANTED) this.begun += 1;
    });
    return socket;
  }

  /** Opens a raw connection that sends `text` and discards the answer. It is closed with the attack. */
  socket(text: string, from?: string): Socket {
    const socket = connect({ port: this.port, host: '127.0.0.1', ...(from !== undefined && { localAddress: from }) });
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
    socket.resume();
    // A connection opened after the attack would disturb the next one.
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

/** Returns the head of a request for a raw connection, with the first bytes of a body. */
export function head(line: string, headers: Readonly<Record<string, string | number>>, body = ''): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** Reports if a raw connection still waits for an answer. */
export function isUnanswered({ closed, bytesRead }: Socket): boolean {
  return !closed && bytesRead === 0;
}
