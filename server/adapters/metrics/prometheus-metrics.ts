import type { SharedResource } from '../../domain/fairness/shared-resource.js';
import type { JobBacklog, JobQueue } from '../../ports/job-queue.js';
import type { DeliveryOutcome, MetricReading, Metrics } from '../../ports/metrics.js';
import type { IndexUse, SearchIndexState, VectorSearchTotals } from '../../ports/store.js';
import type { Meters } from './meters.js';

/** Counting the jobs reads all of them, so that their counts may be this old. */
const BACKLOG_KEPT_MS = 10_000;

interface MetricsOptions {
  /** Also reports the process: memory, processor, garbage collection, event loop delay. */
  process: boolean;
  /** Returns the memory use of the store's resident indexes. */
  indexUse: () => IndexUse | undefined;
  /** Returns what the store's vector searches read so far. */
  vectorSearches?: () => VectorSearchTotals | undefined;
  /** Returns the state of the store's search indexes. */
  searchIndexes?: () => readonly SearchIndexState[] | undefined;
}

/** Time after the first count at which prom-client is loaded. Its load would delay the first requests of a start. */
const LOAD_AFTER_MS = 1_000;

/** Counts with prom-client, which is loaded a while after the first count, or by the first exposition. */
export class PrometheusMetrics implements Metrics {
  readonly #watched = new Map<string, Pick<SharedResource, 'name' | 'use'>>();
  /** Memories that lack a vector of the new embedder, by organization. */
  readonly #unembedded = new Map<string, number>();
  readonly #queue: Pick<JobQueue, 'backlog'>;
  readonly #options: MetricsOptions;
  #backlogs: Promise<JobBacklog[]> | undefined;
  #meters: Promise<Meters> | undefined;
  /** Set once prom-client is loaded. */
  #ready: Meters | undefined;
  /** Counts from before, in their order. */
  readonly #early: ((meters: Meters) => void)[] = [];

  /** @param jobs queue whose attempts are counted and whose backlog is reported */
  constructor(jobs: Pick<JobQueue, 'onFinished' | 'backlog'>, options: MetricsOptions) {
    jobs.onFinished((attempt) => this.#count((meters) => meters.jobAttempt(attempt)));
    this.#queue = jobs;
    this.#options = options;
  }

  request(operationId: string | undefined, status: number, durationMs: number): void {
    this.#count((meters) => meters.request(operationId, status, durationMs));
  }

  outboundDelivery(outcome: DeliveryOutcome): void {
    this.#count((meters) => meters.outboundDelivery(outcome));
  }

  failedInboundWebhook(reason: string): void {
    this.#count((meters) => meters.failedInboundWebhook(reason));
  }

  reembedding(organizationId: string, left: number): void {
    if (left > 0) this.#unembedded.set(organizationId, left);
    else this.#unembedded.delete(organizationId);
  }

  watch(resource: Pick<SharedResource, 'name' | 'use'>): void {
    this.#watched.set(resource.name, resource);
  }

  async exposition(): Promise<string> {
    return (await this.#upToDate()).exposition();
  }

  /** Returns all counts as values. */
  async readings(): Promise<MetricReading[]> {
    return (await this.#upToDate()).readings();
  }

  async #upToDate(): Promise<Meters> {
    const meters = await this.#load();
    // While the store is unavailable, its backlog is unknown.
    const backlogs = await this.#countJobs().catch(() => []);
    const indexUse = this.#options.indexUse();
    const vectorSearches = this.#options.vectorSearches?.();
    const unembedded = [...this.#unembedded.values()];
    const searchIndexes = this.#options.searchIndexes?.() ?? [];
    meters.set({ backlogs, indexUse, vectorSearches, searchIndexes, unembedded, resources: this.#watched.values() });
    return meters;
  }

  /** Returns the counts of a while ago, or counts the jobs. Those who ask meanwhile share one count. */
  #countJobs(): Promise<JobBacklog[]> {
    const forget = () => {
      this.#backlogs = undefined;
    };
    if (!this.#backlogs) {
      this.#backlogs = this.#queue.backlog();
      this.#backlogs.then(() => setTimeout(forget, BACKLOG_KEPT_MS).unref(), forget);
    }
    return this.#backlogs;
  }

  #count(count: (meters: Meters) => void): void {
    if (this.#ready) {
      count(this.#ready);
      return;
    }
    if (this.#early.length === 0) setTimeout(() => void this.#load(), LOAD_AFTER_MS).unref();
    this.#early.push(count);
  }

  #load(): Promise<Meters> {
    this.#meters ??= this.#loaded();
    return this.#meters;
  }

  async #loaded(): Promise<Meters> {
    const { Meters } = await import('./meters.js');
    const meters = new Meters(this.#options.process);
    for (const count of this.#early.splice(0)) count(meters);
    this.#ready = meters;
    return meters;
  }
}
