import { createHmac, randomUUID } from 'node:crypto';
import type { Answer, MemoryRecord } from '../transport/answer.js';
import { eventually } from '../transport/eventually.js';
import { PrerequisiteError } from '../transport/prerequisite.js';
import type { Sending } from '../transport/request.js';
import type { Profile } from './profile.js';
import type { Requests } from './requests.js';
import { projectOf } from './sender-events.js';

export type SenderKind = 'codehost' | 'tracker';

/** A registration that the suite sends as. */
export interface Sender {
  kind: SenderKind;
  id: string;
  secret: string;
}

export interface Delivering {
  deliveryId?: string;
  /** Instead of the right one; null sends none. */
  signature?: string | null;
  /** The event name of the code host. */
  event?: string;
  headers?: Record<string, string>;
}

const WEBHOOKS = '/api/organization/inbound-webhooks';
/** Deliveries from early in a run are long ingested at its end. */
const COLLECTING_MS = 10_000;

/** The code host and the tracker, as which the suite delivers events: those of the profile, else made for the run. */
export class Senders {
  private readonly made = new Map<SenderKind, Promise<Sender>>();
  private readonly toDelete: string[] = [];
  /** The project of each delivery of which memories may come that no check has waited for. */
  private readonly expected = new Map<string, string>();

  /** @param given the registrations of the profile */
  constructor(
    private readonly run: Pick<Requests, 'send' | 'runId' | 'eventually' | 'ledger'>,
    private readonly given: Profile['inboundWebhooks'],
  ) {}

  /** @throws {PrerequisiteError} */
  async get(kind: SenderKind): Promise<Sender> {
    const given = this.given?.[kind];
    if (given) return { kind, ...given };
    const made = this.made.get(kind) ?? this.make(kind);
    this.made.set(kind, made);
    return made;
  }

  /** Registers a sender of its own for one check. @throws {PrerequisiteError} */
  async make(kind: SenderKind, events?: readonly string[], token?: string): Promise<Sender> {
    const body = { kind, name: `conformance ${this.run.runId}`, ...(events && { events }) };
    const answer = await this.run.send('POST', WEBHOOKS, body, under(token));
    const { id, secret } = answer.body;
    if (answer.status !== 201 || typeof id !== 'string' || typeof secret !== 'string') {
      throw new PrerequisiteError(
        `an inbound webhook could not be made (${answer.status}): name some in the profile, or run --without inbound-webhooks`,
      );
    }
    if (token === undefined) this.toDelete.push(id);
    return { kind, id, secret };
  }

  /** Posts a payload as a sender would. */
  async deliver(sender: Sender, payload: unknown, delivering: Delivering = {}): Promise<Answer> {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const { deliveryId = randomUUID(), event = 'push', signature = sign(sender, text) } = delivering;
    const headers =
      sender.kind === 'codehost'
        ? {
            'x-code-host-event': event,
            'x-code-host-delivery': deliveryId,
            ...(signature !== null && { 'x-hub-signature-256': signature }),
          }
        : { 'tracker-delivery': deliveryId, ...(signature !== null && { 'tracker-signature': signature }) };
    const answer = await this.run.send('POST', `/webhooks/${sender.kind}/${sender.id}`, text, {
      token: null,
      headers: { ...headers, ...delivering.headers },
    });
    if (answer.body.status === 'queued' && this.isOwn(sender)) {
      this.expected.set(deliveryId, projectOf(JSON.parse(text)));
    }
    return answer;
  }

  /** The memories of a project, as soon as there are so many. They are discarded at the end of the run. */
  async memoriesOf(project: string, count = 1): Promise<readonly MemoryRecord[]> {
    const memories = await this.run.eventually(() => this.lookFor(project, count), `a memory of ${project}`);
    this.discard(project, memories);
    return memories;
  }

  /** Waits for the result of a delivery: its state and the reason. */
  async fateOf(
    sender: Sender,
    deliveryId: string,
    token?: string,
  ): Promise<{ state: string; reason?: string; [member: string]: unknown }> {
    const fate = await this.run.eventually(async () => {
      const path = `${WEBHOOKS}/${sender.id}/deliveries`;
      const { body } = await this.run.send('GET', path, undefined, under(token));
      const deliveries = (body.inboundDeliveries ?? []) as { deliveryId: string; state: string; reason?: string }[];
      return deliveries.find((delivery) => delivery.deliveryId === deliveryId && delivery.state !== 'queued');
    }, `the end of delivery ${deliveryId}`);
    if (fate.state === 'failed') this.expected.delete(deliveryId);
    return fate;
  }

  /** Has the memories deleted that came of deliveries whose check did not wait for them. */
  async collect(): Promise<void> {
    const projects = new Set(this.expected.values());
    const comes = (project: string) => eventually(() => this.lookFor(project, 1), project, COLLECTING_MS);
    const found = Array.from(projects, (project) =>
      comes(project).then(
        (memories) => this.discard(project, memories),
        // It was refused, like what the content scan finds fault with.
        () => undefined,
      ),
    );
    await Promise.all(found);
  }

  /** Removes what the run registered. */
  async release(): Promise<void> {
    for (const id of this.toDelete.splice(0)) await this.run.send('DELETE', `${WEBHOOKS}/${id}`);
    this.made.clear();
  }

  private async lookFor(project: string, count: number): Promise<readonly MemoryRecord[] | undefined> {
    const { memories } = await this.run.send('GET', '/api/memories/export', undefined, {
      query: { filter: { project } },
    });
    return memories.length >= count ? memories : undefined;
  }

  private discard(project: string, memories: readonly MemoryRecord[]): void {
    for (const [deliveryId, expected] of this.expected) {
      if (expected === project) this.expected.delete(deliveryId);
    }
    // A faulty deployment may list what the filter leaves out.
    for (const { id, metadata } of memories) if (metadata?.project === project) this.run.ledger.open.add(id);
  }

  /** Reports if the sender belongs to the first organization. */
  private isOwn({ kind, id }: Sender): boolean {
    return this.toDelete.includes(id) || this.given?.[kind].id === id;
  }
}

function under(token: string | undefined): Sending {
  return token === undefined ? {} : { token };
}

function sign({ kind, secret }: Sender, text: string): string {
  const hex = createHmac('sha256', secret).update(text).digest('hex');
  return kind === 'codehost' ? `sha256=${hex}` : hex;
}
