import type { SecretBox } from './domain/account/secret-box.js';
import type { Plans } from './domain/billing/plan.js';
import type { RejectionReason } from './domain/content-scan/scan.js';
import type { EndpointRules } from './domain/outbound/endpoint-url.js';
import type { Microseconds } from './domain/timestamp.js';
import type { Logger } from './logger.js';
import type { BillingProvider } from './ports/billing-provider.js';
import type { Embedder } from './ports/embedder.js';
import type { HttpSender } from './ports/http-sender.js';
import type { JobQueue } from './ports/job-queue.js';
import type { Mailer } from './ports/mailer.js';
import type { Metrics } from './ports/metrics.js';
import type { Passwords } from './ports/passwords.js';
import type { RateLimiter } from './ports/rate-limiter.js';
import type { Store } from './ports/store.js';
import type { TextRow, TextWork } from './ports/text-work.js';

/** Everything that a service function may ask for. The container builds it once; tests replace parts of it. */
export interface Deps {
  store: Store;
  /** Runs what units of work enqueue. */
  jobs: JobQueue;
  embedder: Embedder;
  rateLimiter: RateLimiter;
  /** Where long work on texts is done, for callers in turn. */
  texts: TextWork;
  logger: Logger;
  metrics: Metrics;
  /** Sends to the endpoints of customers. */
  httpSender: HttpSender;
  /** Which endpoints customers may name. */
  endpointRules: EndpointRules;
  /** Looks for secrets and personal data in what is written; undefined where the operator switched it off. */
  contentScan: ContentScanner | undefined;
  /** Seals the secrets that are stored to be used again. */
  secretBox: SecretBox;
  access: AccessPolicy;
  passwords: Passwords;
  /** Undefined where who invites hands over the link. */
  mailer: Mailer | undefined;
  /** The wall clock. Times of memories come from the organization's clock instead. */
  now: () => Microseconds;
  /** A fresh UUID v7. */
  newId: () => string;
  /** In [0, 1). */
  random: () => number;
  limits: Limits;
  billing: BillingRules;
  /** Undefined where no webhook secret of the billing provider is set: its events are refused then. */
  billingProvider: BillingProvider | undefined;
}

/** Tells what kinds of secrets and personal data texts hold. @param row where the work is done */
export type ContentScanner = (
  texts: readonly string[],
  row: TextRow,
) => readonly RejectionReason[] | Promise<readonly RejectionReason[]>;

/** How writes and usage are bound to what an organization pays for (section 5.5). */
export interface BillingRules {
  /** Whether writes need an active subscription or trial. */
  enforced: boolean;
  /** Whether the billing provider's secret is set. */
  configured: boolean;
  plans: Plans;
}

/** How people and tokens get in, as the operator has it. */
export interface AccessPolicy {
  /** Whether the ability `*` can be given and is honoured; never in production. */
  wildcard: boolean;
  /** Whether the cookie of a session is sent over HTTPS alone; always in production. */
  secureCookies: boolean;
  /** Where people reach the service, without a slash at the end. */
  publicUrl: string | undefined;
}

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
  /** Requests handled at once before new ones are turned away. */
  requestsInFlight: number;
}
