import type { SendFailure } from '../domain/outbound/delivery.js';

/** How one attempt to send ended. */
export type Sent = { status: number; retryAfter?: string } | { failure: SendFailure };

export interface OutgoingPost {
  /** For whom it is sent. One tenant's requests have a share of what all requests need. */
  tenant: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Sends to endpoints that customers name, and to no others. */
export interface HttpSender {
  /**
   * Posts once. Resolves in every case, in bounded time. Redirects are not
   * followed and the body of the answer is not read. Each time, the address
   * that the host resolves to is checked before a connection is made.
   */
  post(request: OutgoingPost): Promise<Sent>;
}
