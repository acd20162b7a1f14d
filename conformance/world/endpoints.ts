import { PrerequisiteError } from '../transport/prerequisite.js';
import type { Profile } from './profile.js';
import { type Received, Receiver } from './receiver.js';
import type { Requests } from './requests.js';
import { uniqueWord } from './words.js';

const WEBHOOKS = '/api/organization/outbound-webhooks';

export type EventName = 'memory.ingested' | 'memory.updated' | 'memory.deleted';

export const EVENT_NAMES: readonly EventName[] = ['memory.ingested', 'memory.updated', 'memory.deleted'];

/** The parts of a run that an endpoint needs. */
type Run = Pick<Requests, 'send' | 'eventually'>;

/** An outbound webhook that leads to the suite. */
export class Endpoint {
  constructor(
    private readonly run: Run,
    private readonly receiver: Receiver,
    readonly id: string,
    readonly secret: string,
    /** Its own path at the receiver. */
    readonly path: string,
  ) {}

  /** Returns the deliveries for a memory so far, of one event or of any. */
  about(memoryId: string, event?: EventName): Received[] {
    return this.receiver.received.filter(({ path, body }) => {
      const { id } = (body.payload ?? {}) as { id?: string };
      return path === this.path && id === memoryId && (event === undefined || body.event === event);
    });
  }

  /** The delivery of an event of a memory, as soon as it comes. */
  async delivery(memoryId: string, event: EventName): Promise<Received> {
    const what = `the event ${event} at ${this.receiver.url}`;
    return this.run.eventually(async () => this.about(memoryId, event)[0], what);
  }

  /** Answers the next deliveries like this whose metadata hold a word: events of others come here too. */
  answer(word: string, ...statuses: readonly number[]): void {
    this.receiver.answer(this.path, word, ...statuses);
  }

  async remove(): Promise<void> {
    await this.run.send('DELETE', `${WEBHOOKS}/${this.id}`);
  }
}

/** Outbound webhooks of the run, and the receiver behind them, which listens from the first one on. */
export class Endpoints {
  private receiver: Promise<Receiver> | undefined;

  constructor(
    private readonly run: Run,
    private readonly address: Profile['outboundWebhooks'],
  ) {}

  /** Registers an endpoint, and removes it whatever the work comes to. @throws {PrerequisiteError} */
  async use(work: (endpoint: Endpoint) => Promise<void>, events: readonly EventName[] = EVENT_NAMES): Promise<void> {
    const endpoint = await this.register(events);
    try {
      await work(endpoint);
    } finally {
      await endpoint.remove();
    }
  }

  async release(): Promise<void> {
    const receiver = this.receiver;
    this.receiver = undefined;
    if (receiver) await (await receiver)[Symbol.asyncDispose]();
  }

  private async register(events: readonly EventName[]): Promise<Endpoint> {
    const { host, port, url } = this.address;
    this.receiver ??= Receiver.listen(host, port, url);
    const receiver = await this.receiver;
    const path = uniqueWord();
    const answer = await this.run.send('POST', WEBHOOKS, { url: `${receiver.url}/${path}`, events });
    const { id, secret } = answer.body;
    if (answer.status === 201 && typeof id === 'string' && typeof secret === 'string') {
      return new Endpoint(this.run, receiver, id, secret, path);
    }
    throw new PrerequisiteError(
      `an outbound webhook to ${receiver.url} could not be made (${answer.status}): name an address in the profile that the deployment may call, or run --without outbound-webhooks`,
    );
  }
}
