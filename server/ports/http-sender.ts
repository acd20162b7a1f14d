import type { SendFailure } from '../domain/outbound/delivery.js';

/** Result of one attempt to send. */
export type Sent = Answered | { failure: SendFailure };

export interface Answered {
  status: number;
  retryAfter?: string;
  /** First bytes of the response body, if it has any. */
  answer?: Uint8Array;
}

export interface OutgoingPost {
  /** Tenant whose share of the connections the request uses. */
  tenant: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Sends HTTP requests to the endpoints of customers. */
export interface HttpSender {
  /**
   * Posts once. Always resolves, in bounded time. Does not follow redirects. Reads at most `MAX_ANSWER_BYTES` of the
   * response body, and waits a short time for them. Every attempt resolves the host again and checks its address before
   * it connects.
   */
  post(request: OutgoingPost): Promise<Sent>;
}
