/** Why no answer of an endpoint counts. */
export type SendFailure =
  /** Its host does not resolve. */
  | 'unresolved'
  /** Its host leads to an address that must not be sent to. */
  | 'address_refused'
  /** There is no connection, or it broke. */
  | 'connection'
  /** The connection is not secure: a certificate that is expired, of another host or of nobody. */
  | 'tls'
  /** The head of the answer was not there in time. */
  | 'timeout'
  /** What it answered is not HTTP. */
  | 'protocol';

/** How one attempt to send ended. */
export type Sent = { status: number; retryAfter?: string } | { failure: SendFailure };

export interface OutgoingPost {
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
