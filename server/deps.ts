import type { Background } from './background.js';
import type { SecretBox } from './domain/account/secret-box.js';
import type { Plans } from './domain/billing/plan.js';
import type { RejectionReason } from './domain/content-scan/scan.js';
import type { RefusalCounter } from './domain/inbound/refusal-counter.js';
import type { EndpointRules } from './domain/outbound/endpoint-url.js';
import type { Microseconds } from './domain/timestamp.js';
import type { Logger } from './logger.js';
import type { BillingProvider } from './ports/billing-provider.js';
import type { CustomerPortal } from './ports/customer-portal.js';
import type { Embedder } from './ports/embedder.js';
import type { HttpSender } from './ports/http-sender.js';
import type { JobQueue } from './ports/job-queue.js';
import type { Mailer } from './ports/mailer.js';
import type { Metrics } from './ports/metrics.js';
import type { Passwords } from './ports/passwords.js';
import type { RateLimiter } from './ports/rate-limiter.js';
import type { Store } from './ports/store.js';
import type { TextRow, TextWork } from './ports/text-work.js';
import type { Tracing } from './ports/tracing.js';

/** The dependencies of service functions. The container builds them once; tests replace some of them. */
export interface Deps {
  store: Store;
  /** Runs the jobs that units of work enqueue. */
  jobs: JobQueue;
  embedder: Embedder;
  rateLimiter: RateLimiter;
  /** Runs long work on texts, with tenants in turn. */
  texts: TextWork;
  logger: Logger;
  metrics: Metrics;
  /** Undefined unless spans are sent to an OpenTelemetry collector. */
  tracing?: Tracing | undefined;
  /** Counts refused requests of senders. */
  inboundRefusals: RefusalCounter;
  /** Sends to the endpoints of customers. */
  httpSender: HttpSender;
  /** Rules for the endpoints that customers may use. */
  endpointRules: EndpointRules;
  /** Detects secrets and personal data in writes; undefined if the operator disabled it. */
  contentScan: ContentScanner | undefined;
  /** Encrypts stored secrets that the service must read again. */
  secretBox: SecretBox;
  access: AccessPolicy;
  passwords: Passwords;
  /** Undefined if no mail server is set: the user who invites then forwards the link. */
  mailer: Mailer | undefined;
  /** Runs work that a response does not wait for. */
  background: Background;
  /** Wall clock. Times of memories come from the organization's clock instead. */
  now: () => Microseconds;
  /** Creates a UUID v7. */
  newId: () => string;
  /** Returns a random number in [0, 1). */
  random: () => number;
  limits: Limits;
  billing: BillingRules;
  /** Undefined if the secret of the billing provider is not set. Its events are then rejected. */
  billingProvider: BillingProvider | undefined;
  /** Undefined if the key of the billing provider is not set. */
  customerPortal: CustomerPortal | undefined;
}

/** Returns the kinds of secrets and personal data in texts. @param row runs the scan */
export type ContentScanner = (
  texts: readonly string[],
  row: TextRow,
) => readonly RejectionReason[] | Promise<readonly RejectionReason[]>;

/** Rules that connect writes and usage with subscriptions (section 5.5). */
export interface BillingRules {
  /** True if writes require an active subscription or trial. */
  enforced: boolean;
  /** True if the billing provider's secret is set. */
  configured: boolean;
  plans: Plans;
}

/** The operator's settings for tokens and sessions. */
export interface AccessPolicy {
  /** True if the ability `*` can be issued and is accepted; always false in production. */
  wildcard: boolean;
  /** True if session cookies are sent only over HTTPS: in production, and if the public URL begins with https. */
  secureCookies: boolean;
  /** Public URL of the service, without a slash at the end. */
  publicUrl: string | undefined;
}

/** Maximum sizes and numbers. */
export interface Limits {
  /** Unicode code points of a memory's content. */
  contentLength: number;
  /** Items of one batch. */
  batchItems: number;
  /** Bytes of a request body. */
  bodyBytes: number;
  /** Bytes of a batch request's body. */
  batchBodyBytes: number;
  /** Bytes of an event of a code host. */
  codeHostBodyBytes: number;
  /** Requests in progress; more are rejected. */
  requestsInFlight: number;
}
