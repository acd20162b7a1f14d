import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { SharedResource } from '../../domain/fairness/shared-resource.js';
import type { FinishedAttempt, JobBacklog } from '../../ports/job-queue.js';
import type { DeliveryOutcome, MetricReading } from '../../ports/metrics.js';
import type { IndexUse, SearchIndexState, VectorSearchTotals } from '../../ports/store.js';
import { readingOf } from './reading-of.js';

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const JOB_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 15, 60];

const NO_SEARCHES: VectorSearchTotals = { searches: 0, bytes: 0, candidates: 0, durationMs: 0 };

/** Values that are read for each exposition instead of counted. */
export interface Readings {
  backlogs: readonly JobBacklog[];
  indexUse: IndexUse | undefined;
  vectorSearches: VectorSearchTotals | undefined;
  searchIndexes: readonly SearchIndexState[];
  /** Memories left to embed again, in each organization that is re-embedded. */
  unembedded: readonly number[];
  resources: Iterable<Pick<SharedResource, 'name' | 'use'>>;
}

/** The service's counters and gauges, in their own prom-client registry. */
export class Meters {
  readonly #registry = new Registry();
  readonly #requests = this.#counter('requests_total', 'Requests by operation and status', ['operation', 'status']);
  readonly #requestSeconds = this.#histogram(
    'request_duration_seconds',
    'Time from the headers of a request to the end of its response',
    'operation',
    REQUEST_SECONDS,
  );
  readonly #jobs = this.#counter('job_attempts_total', 'Attempts of jobs by outcome', ['name', 'outcome']);
  readonly #jobSeconds = this.#histogram('job_duration_seconds', 'Duration of job attempts', 'name', JOB_SECONDS);
  readonly #deliveries = this.#counter('outbound_deliveries_total', 'Attempts to deliver events by outcome', [
    'outcome',
  ]);
  readonly #failedInbound = this.#counter(
    'inbound_webhooks_failed_total',
    'Inbound deliveries that failed for good, by reason',
    ['reason'],
  );

  readonly #waiting = this.#gauge('jobs_waiting', 'Jobs that are due or running');
  readonly #failed = this.#gauge('jobs_failed', 'Jobs whose last attempt failed within 30 days');
  readonly #oldestWait = this.#gauge('job_oldest_wait_seconds', 'Longest time that a job has been due');
  readonly #indexBytes = this.#plainGauge('index_bytes', 'Memory that the resident vector indexes use');
  readonly #indexes = this.#plainGauge('resident_indexes', 'Organizations whose vector index is in memory');
  readonly #vectorSearches = this.#counter('vector_searches_total', 'Vector searches in the store', []);
  readonly #vectorBytes = this.#counter('vector_search_bytes_total', 'Bytes that vector searches compared', []);
  readonly #vectorCandidates = this.#counter(
    'vector_search_candidates_total',
    'Memories that vector searches compared in full precision',
    [],
  );
  readonly #vectorSeconds = this.#counter('vector_search_seconds_total', 'Time that vector searches took', []);
  readonly #searchable = this.#indexGauge('ready', 'Whether a search index can be searched');
  readonly #searchLag = this.#indexGauge('lag_seconds', 'Time since the newest write that a search index includes');
  readonly #reembedding = this.#plainGauge('reembedding_organizations', 'Organizations that this process re-embeds');
  readonly #unembedded = this.#plainGauge('unembedded_memories', 'Memories that this process still has to re-embed');
  readonly #inUse = this.#resourceGauge('in_use', 'Amount of a shared resource in use, in requests or bytes');
  readonly #queued = this.#resourceGauge('waiting', 'Requests that wait for a shared resource');
  readonly #refusals = this.#resourceGauge('refused_total', 'Requests that a shared resource rejected');

  /** @param ofProcess also reports the process: memory, processor, garbage collection, event loop delay */
  constructor(ofProcess: boolean) {
    if (ofProcess) collectDefaultMetrics({ register: this.#registry });
  }

  jobAttempt({ name, outcome, durationMs }: FinishedAttempt): void {
    this.#jobs.inc({ name, outcome });
    this.#jobSeconds.observe({ name }, durationMs / 1_000);
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

  set({ backlogs, indexUse, vectorSearches, searchIndexes, unembedded, resources }: Readings): void {
    this.#setBacklog(backlogs);
    const { bytes = 0, organizations = 0 } = indexUse ?? {};
    this.#indexBytes.set(bytes);
    this.#indexes.set(organizations);
    this.#setVectorSearches(vectorSearches);
    this.#setSearchIndexes(searchIndexes);
    this.#unembedded.set(unembedded.reduce((sum, left) => sum + left, 0));
    this.#reembedding.set(unembedded.length);
    this.#setResources(resources);
  }

  /** Returns all metrics in the text format of Prometheus. */
  exposition(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Returns all metrics as values. */
  async readings(): Promise<MetricReading[]> {
    return (await this.#registry.getMetricsAsJSON()).map(readingOf);
  }

  #setBacklog(backlogs: Readings['backlogs']): void {
    for (const gauge of [this.#waiting, this.#failed, this.#oldestWait]) gauge.reset();
    for (const { name, waiting, failed, oldestWaitMs } of backlogs) {
      this.#waiting.set({ name }, waiting);
      this.#failed.set({ name }, failed);
      this.#oldestWait.set({ name }, oldestWaitMs / 1_000);
    }
  }

  #setVectorSearches({ searches, bytes, candidates, durationMs }: VectorSearchTotals = NO_SEARCHES): void {
    setTotal(this.#vectorSearches, searches);
    setTotal(this.#vectorBytes, bytes);
    setTotal(this.#vectorCandidates, candidates);
    setTotal(this.#vectorSeconds, durationMs / 1_000);
  }

  /** An index that is not known to include any write has no lag. */
  #setSearchIndexes(indexes: readonly SearchIndexState[]): void {
    for (const gauge of [this.#searchable, this.#searchLag]) gauge.reset();
    for (const { name, isQueryable, lagMs } of indexes) {
      this.#searchable.set({ index: name }, Number(isQueryable));
      if (lagMs !== undefined) this.#searchLag.set({ index: name }, lagMs / 1_000);
    }
  }

  #setResources(resources: Readings['resources']): void {
    for (const { name, use } of resources) {
      this.#inUse.set({ resource: name }, use.inUse);
      this.#queued.set({ resource: name }, use.waiting);
      this.#refusals.set({ resource: name }, use.refused);
    }
  }

  #indexGauge(name: string, help: string): Gauge<'index'> {
    const labelNames = ['index'] as const;
    return new Gauge({ name: `memory_service_search_index_${name}`, help, labelNames, registers: [this.#registry] });
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

function setTotal(counter: Counter, total: number): void {
  counter.reset();
  counter.inc(total);
}
