import { ingestDeliveryJob } from '../../jobs/ingest-delivery.js';
import { attempts } from '../adapter-suites/jobs/job-runs.js';
import type { TestApp } from '../app/test-app.js';

/** Runs the queue until `count` deliveries have ended. */
export async function ingestAll(app: TestApp, count: number): Promise<void> {
  const ended = attempts(app.deps.jobs, count);
  await app.deps.jobs.start({ 'ingest-delivery': ingestDeliveryJob(app.deps) });
  await ended;
}
