import type { SharedResource } from '../domain/fairness/shared-resource.js';

/** State of an outbound delivery after an attempt. */
export type DeliveryOutcome = 'delivered' | 'retried' | 'failed';

/** Current values of one metric, each with labels of its own. */
export type MetricReading = { name: string; help: string } & (
  | { kind: 'counter' | 'gauge'; values: readonly LabeledValue[] }
  | { kind: 'histogram'; values: readonly LabeledHistogram[] }
);

export type Labels = Readonly<Record<string, string | number>>;

export interface LabeledValue {
  labels: Labels;
  value: number;
}

export interface LabeledHistogram {
  labels: Labels;
  /** Upper bounds of all buckets but the last, which has none. */
  bounds: readonly number[];
  /** Observations in each bucket alone. */
  counts: readonly number[];
  sum: number;
  count: number;
}

/** Counts events of the service for its operators. No label names a tenant. */
export interface Metrics {
  /** @param operationId undefined if the request matches no operation */
  request(operationId: string | undefined, status: number, durationMs: number): void;
  outboundDelivery(outcome: DeliveryOutcome): void;
  /**
   * Counts an inbound delivery that failed and is not retried (section 5.5).
   *
   * @param reason an error code, or the class of an error
   */
  failedInboundWebhook(reason: string): void;
  /**
   * Reports the progress of an organization's re-embedding.
   *
   * @param left memories without a vector of the new embedder; 0 at the end
   */
  reembedding(organizationId: string, left: number): void;
  /** Starts to report the use of a shared resource. It replaces an earlier one of the same name. */
  watch(resource: Pick<SharedResource, 'name' | 'use'>): void;

  /** Returns all counts in the text format of Prometheus. */
  exposition(): Promise<string>;
}
