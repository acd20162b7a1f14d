import { createHmac, randomUUID } from 'node:crypto';
import type { Answer, SentHeaders } from '../app/http-client.js';
import type { TestApp } from '../app/test-app.js';

export const INBOUND_WEBHOOKS = '/api/organization/inbound-webhooks';

/** A delivery from a sender; defaults are valid. */
interface Delivery {
  /** The event of a code host. A tracker names it in the payload. */
  event?: string | undefined;
  deliveryId?: string | undefined;
  secret?: string;
  /** Added, or left out if undefined. */
  headers?: SentHeaders;
}

/** A code host or an issue tracker registered by an owner. */
export class Sender {
  private constructor(
    private readonly app: TestApp,
    readonly kind: 'codehost' | 'tracker',
    readonly id: string,
    public secret: string,
  ) {}

  static async register(app: TestApp, kind: Sender['kind'], more: Record<string, unknown> = {}): Promise<Sender> {
    const { body } = await app.send('POST', INBOUND_WEBHOOKS, { kind, name: 'sender', ...more });
    return new Sender(app, kind, String(body.id), String(body.secret));
  }

  /** Signs a payload and delivers it. */
  async deliver(payload: object | string | Buffer, delivery: Delivery = {}): Promise<Answer> {
    const { event = 'push', deliveryId = randomUUID(), secret = this.secret, headers = {} } = delivery;
    const body = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload);
    const digest = createHmac('sha256', secret).update(body).digest('hex');
    const own: SentHeaders =
      this.kind === 'codehost'
        ? { 'x-hub-signature-256': `sha256=${digest}`, 'x-code-host-event': event, 'x-code-host-delivery': deliveryId }
        : { 'tracker-signature': digest, 'tracker-delivery': deliveryId };
    return this.app.send('POST', `/webhooks/${this.kind}/${this.id}`, body, {
      authorization: undefined,
      ...own,
      ...headers,
    });
  }

  /** Returns the deliveries that the organization sees, latest first. */
  async deliveries(): Promise<Record<string, unknown>[]> {
    const { body } = await this.app.send('GET', `${INBOUND_WEBHOOKS}/${this.id}/deliveries`);
    return body.inboundDeliveries as Record<string, unknown>[];
  }
}
