import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { FinishedAttempt, JobBacklog } from '../../ports/job-queue.js';
import { PrometheusMetrics } from './prometheus-metrics.js';

describe('PrometheusMetrics', () => {
  test('counts the attempts of jobs by outcome', async () => {
    const jobs = new ScriptedJobs();
    const metrics = new PrometheusMetrics(jobs, { process: false, indexUse: () => undefined });

    jobs.finish({ name: 'deliver-outbound', outcome: 'done', durationMs: 20 });
    jobs.finish({ name: 'deliver-outbound', outcome: 'done', durationMs: 30 });
    jobs.finish({ name: 'ingest-delivery', outcome: 'failed', durationMs: 10 });

    const text = await metrics.exposition();
    expect(text).toContain('memory_service_job_attempts_total{name="deliver-outbound",outcome="done"} 2');
    expect(text).toContain('memory_service_job_attempts_total{name="ingest-delivery",outcome="failed"} 1');
    expect(text).toContain('memory_service_job_duration_seconds_sum{name="deliver-outbound"} 0.05');
  });

  test('returns the same as values, with the observations of each bucket alone', async () => {
    const metrics = new PrometheusMetrics(new ScriptedJobs(), { process: false, indexUse: () => undefined });
    for (const durationMs of [2, 2, 40, 60_000]) metrics.request('searchMemories', 200, durationMs);

    const readings = await metrics.readings();

    expect(readings.find(({ name }) => name === 'memory_service_requests_total')).toMatchObject({
      kind: 'counter',
      values: [{ labels: { operation: 'searchMemories', status: 200 }, value: 4 }],
    });
    expect(readings.find(({ name }) => name === 'memory_service_request_duration_seconds')).toMatchObject({
      kind: 'histogram',
      values: [
        {
          labels: { operation: 'searchMemories' },
          bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
          counts: [0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1],
          count: 4,
        },
      ],
    });
  });

  test('reports a backlog of the last ten seconds, and counts it once for all who ask', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const jobs = new ScriptedJobs();
    const metrics = new PrometheusMetrics(jobs, { process: false, indexUse: () => undefined });
    jobs.waiting = [{ name: 'ingest-delivery', waiting: 7, failed: 2, oldestWaitMs: 1_500 }];

    const counted = vi.spyOn(jobs, 'backlog');

    const [before] = await Promise.all([metrics.exposition(), metrics.exposition()]);
    jobs.waiting = [];
    await vi.advanceTimersByTimeAsync(9_999);
    const meanwhile = await metrics.exposition();
    expect(counted).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(1);
    const after = await metrics.exposition();

    expect(before).toContain('memory_service_jobs_waiting{name="ingest-delivery"} 7');
    expect(before).toContain('memory_service_jobs_failed{name="ingest-delivery"} 2');
    expect(before).toContain('memory_service_job_oldest_wait_seconds{name="ingest-delivery"} 1.5');
    expect(meanwhile).toContain('memory_service_jobs_waiting{name="ingest-delivery"} 7');
    expect(after).not.toContain('name="ingest-delivery"');
  });

  test('reports the other metrics while the queue cannot be read', async () => {
    const jobs = new ScriptedJobs();
    const metrics = new PrometheusMetrics(jobs, { process: false, indexUse: () => undefined });
    metrics.outboundDelivery('delivered');
    jobs.backlog = () => Promise.reject(new Error('the store is out of reach'));

    expect(await metrics.exposition()).toContain('memory_service_outbound_deliveries_total{outcome="delivered"} 1');
  });

  test('counts inbound deliveries that failed, by reason', async () => {
    const metrics = new PrometheusMetrics(new ScriptedJobs(), { process: false, indexUse: () => undefined });

    metrics.failedInboundWebhook('entitlement_required');

    expect(await metrics.exposition()).toContain(
      'memory_service_inbound_webhooks_failed_total{reason="entitlement_required"} 1',
    );
  });

  test('reports how many memories are left to re-embed, without naming organizations', async () => {
    const metrics = new PrometheusMetrics(new ScriptedJobs(), { process: false, indexUse: () => undefined });
    metrics.reembedding('one', 70);
    metrics.reembedding('other', 30);
    metrics.reembedding('one', 50);
    const during = await metrics.exposition();
    metrics.reembedding('other', 0);

    expect(during).toContain('memory_service_unembedded_memories 80\n');
    expect(during).toContain('memory_service_reembedding_organizations 2\n');
    expect(await metrics.exposition()).toContain('memory_service_unembedded_memories 50\n');
  });

  test('reports memory and event loop delay of the process if asked to', async () => {
    const metrics = new PrometheusMetrics(new ScriptedJobs(), { process: true, indexUse: () => undefined });

    const text = await metrics.exposition();

    expect(text).toMatch(/^nodejs_eventloop_lag_seconds \d/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
  });

  test('reports the current memory use of the vector indexes', async () => {
    const use = { bytes: 4_096, organizations: 3 };
    const metrics = new PrometheusMetrics(new ScriptedJobs(), { process: false, indexUse: () => use });
    await metrics.exposition();
    use.bytes = 8_192;

    const text = await metrics.exposition();

    expect(text).toContain('memory_service_index_bytes 8192\n');
    expect(text).toContain('memory_service_resident_indexes 3\n');
  });

  test('reports the current totals of the vector searches as counters, and 0 if the store has none', async () => {
    const totals = { searches: 2, bytes: 4_096, candidates: 100, durationMs: 250 };
    const options = { process: false, indexUse: () => undefined };
    const metrics = new PrometheusMetrics(new ScriptedJobs(), { ...options, vectorSearches: () => totals });
    await metrics.exposition();
    totals.bytes = 8_192;

    const text = await metrics.exposition();
    const without = await new PrometheusMetrics(new ScriptedJobs(), options).exposition();

    expect(text).toContain('# TYPE memory_service_vector_search_bytes_total counter\n');
    expect(text).toContain('memory_service_vector_searches_total 2\n');
    expect(text).toContain('memory_service_vector_search_bytes_total 8192\n');
    expect(text).toContain('memory_service_vector_search_candidates_total 100\n');
    expect(text).toContain('memory_service_vector_search_seconds_total 0.25\n');
    expect(without).toContain('memory_service_vector_searches_total 0\n');
  });

  test('reports the search indexes, and no lag of one that is not known to include any write', async () => {
    const searchIndexes = () => [
      { name: 'one', isQueryable: true, lagMs: 1_500 },
      { name: 'other', isQueryable: false, lagMs: undefined },
    ];
    const options = { process: false, indexUse: () => undefined, searchIndexes };
    const metrics = new PrometheusMetrics(new ScriptedJobs(), options);

    const text = await metrics.exposition();

    expect(text).toContain('memory_service_search_index_ready{index="one"} 1\n');
    expect(text).toContain('memory_service_search_index_lag_seconds{index="one"} 1.5\n');
    expect(text).toContain('memory_service_search_index_ready{index="other"} 0\n');
    expect(text).not.toContain('memory_service_search_index_lag_seconds{index="other"}');
  });
});

class ScriptedJobs {
  waiting: JobBacklog[] = [];
  readonly #listeners: ((attempt: FinishedAttempt) => void)[] = [];

  onFinished(listener: (attempt: FinishedAttempt) => void): () => void {
    this.#listeners.push(listener);
    return () => {};
  }

  async backlog(): Promise<JobBacklog[]> {
    return this.waiting;
  }

  finish(attempt: FinishedAttempt): void {
    for (const listener of this.#listeners) listener(attempt);
  }
}
