import type { SendFailure } from '../domain/outbound/delivery.js';

/** Result of one attempt to send. */
export type Sent = { status: number; retryAfter?: string } | { failure: SendFailure };

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
   * Posts once. Always resolves, in bounded time. Does not follow redirects and does not read the response body. Every
   * attempt resolves the host again and checks its address before it connects.
   */
  post(request: OutgoingPost): Promise<Sent>;
}
