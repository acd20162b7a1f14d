import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { SharedResource } from '../../domain/fairness/shared-resource.js';
import type { JobQueue } from '../../ports/job-queue.js';
import type { DeliveryOutcome, Metrics } from '../../ports/metrics.js';
import type { IndexUse } from '../../ports/store.js';

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const JOB_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 15, 60];

interface MetricsOptions {
  /** Whether to tell of the process too: memory, processor, garbage, delay of the event loop. */
  process: boolean;
  /** Of the store. */
  indexUse: () => IndexUse | undefined;
}

/** Counts with prom-client, in a registry of its own. */
export class PrometheusMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #requests = this.#counter('requests_total', 'Requests by operation and status', ['operation', 'status']);
  readonly #requestSeconds = this.#histogram(
    'request_duration_seconds',
    'From the head of a request to the end of its answer',
    'operation',
    REQUEST_SECONDS,
  );
  readonly #jobs = this.#counter('job_attempts_total', 'Attempts of jobs by how they ended', ['name', 'outcome']);
  readonly #jobSeconds = this.#histogram('job_duration_seconds', 'How long attempts of jobs take', 'name', JOB_SECONDS);
  readonly #deliveries = this.#counter('outbound_deliveries_total', 'Attempts to deliver events by what came of them', [
    'outcome',
  ]);
  readonly #failedInbound = this.#counter(
    'inbound_webhooks_failed_total',
    'Inbound deliveries of which nothing more is tried, by the reason',
    ['reason'],
  );

  readonly #waiting = this.#gauge('jobs_waiting', 'Jobs that are due or running');
  readonly #failed = this.#gauge('jobs_failed', 'Jobs that were given up in the last 30 days');
  readonly #oldestWait = this.#gauge('job_oldest_wait_seconds', 'How long the longest waiting job has been due');
  readonly #indexBytes = this.#plainGauge('index_bytes', 'Memory that the resident vector indexes take');
  readonly #indexes = this.#plainGauge('resident_indexes', 'Organizations whose vector index is in memory');
  readonly #inUse = this.#resourceGauge('in_use', 'What is in use of a shared resource: requests or bytes');
  readonly #queued = this.#resourceGauge('waiting', 'Requests that wait for a shared resource');
  readonly #refusals = this.#resourceGauge('refused_total', 'Requests that a shared resource refused');
  readonly #watched = new Map<string, Pick<SharedResource, 'name' | 'use'>>();
  readonly #queue: Pick<JobQueue, 'backlog'>;
  readonly #indexUse: () => IndexUse | undefined;

  /**
   * @param jobs whose attempts are counted and whose backlog is told
   */
  constructor(jobs: Pick<JobQueue, 'onFinished' | 'backlog'>, options: MetricsOptions) {
    jobs.onFinished(({ name, outcome, durationMs }) => {
      this.#jobs.inc({ name, outcome });
      this.#jobSeconds.observe({ name }, durationMs / 1_000);
    });
    this.#queue = jobs;
    this.#indexUse = options.indexUse;
    if (options.process) collectDefaultMetrics({ register: this.#registry });
  }

  request(operationId: string | undefined, status: number, durationMs: number): void {
    const operation = operationId ?? 'none';
    this.#requests.inc({ operation, status });
    this.#requestSeconds.observe({ operation }, durationMs / 1_000);
  }

  outboundDelivery(outcome: DeliveryOutcome): void {
    this.#deliveries.inc({ outcome });
  }

  failedInboundWebhook(reason: string): void {
    this.#failedInbound.inc({ reason });
  }

  watch(resource: Pick<SharedResource, 'name' | 'use'>): void {
    this.#watched.set(resource.name, resource);
  }

  async exposition(): Promise<string> {
    await this.#readBacklog();
    const { bytes = 0, organizations = 0 } = this.#indexUse() ?? {};
    this.#indexBytes.set(bytes);
    this.#indexes.set(organizations);
    this.#readResources();
    return this.#registry.metrics();
  }

  /** Asked of the queue when somebody looks, not counted along. While the store is out of reach there is nothing to tell of it. */
  async #readBacklog(): Promise<void> {
    const backlogs = await this.#queue.backlog().catch(() => []);
    for (const gauge of [this.#waiting, this.#failed, this.#oldestWait]) gauge.reset();
    for (const { name, waiting, failed, oldestWaitMs } of backlogs) {
      this.#waiting.set({ name }, waiting);
      this.#failed.set({ name }, failed);
      this.#oldestWait.set({ name }, oldestWaitMs / 1_000);
    }
  }

  #readResources(): void {
    for (const { name, use } of this.#watched.values()) {
      this.#inUse.set({ resource: name }, use.inUse);
      this.#queued.set({ resource: name }, use.waiting);
      this.#refusals.set({ resource: name }, use.refused);
    }
  }

  #resourceGauge(name: string, help: string): Gauge<'resource'> {
    const labelNames = ['resource'] as const;
    return new Gauge({ name: `memory_service_resource_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name: `memory_service_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #plainGauge(name: string, help: string): Gauge {
    return new Gauge({ name: `memory_service_${name}`, help, registers: [this.#registry] });
  }

  #gauge(name: string, help: string): Gauge<'name'> {
    return new Gauge({ name: `memory_service_${name}`, help, labelNames: ['name'], registers: [this.#registry] });
  }

  #histogram<Label extends string>(name: string, help: string, label: Label, buckets: number[]): Histogram<Label> {
    const labelNames = [label];
    return new Histogram({ name: `memory_service_${name}`, help, labelNames, buckets, registers: [this.#registry] });
  }
}
