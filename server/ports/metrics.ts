import type { SharedResource } from '../domain/fairness/shared-resource.js';

/** How an attempt to deliver an event left the delivery. */
export type DeliveryOutcome = 'delivered' | 'retried' | 'failed';

/** What the service counts of itself, for those who run it. No label names a tenant. */
export interface Metrics {
  /** @param operationId undefined for a request that was for no operation */
  request(operationId: string | undefined, status: number, durationMs: number): void;
  outboundDelivery(outcome: DeliveryOutcome): void;
  /**
   * Counts an inbound delivery of which nothing more is tried (section 5.5).
   *
   * @param reason a code of an error, or the class of one
   */
  failedInboundWebhook(reason: string): void;
  /** Reports the use of a shared resource from now on; a later one of the same name takes its place. */
  watch(resource: Pick<SharedResource, 'name' | 'use'>): void;

  /** Everything counted so far, in the text format of Prometheus. */
  exposition(): Promise<string>;
}
