import type { Job } from 'agenda';
import type { Logger } from '../../logger.js';
import type { FinishedAttempt, JobData, JobHandler, JobName } from '../../ports/job-queue.js';
import type { CrashCounted } from './job-backend.js';
import { JobFailure } from './job-failure.js';

/** A crash may hit a running job by chance, but hardly more often than this. */
const MAX_CRASHES = 10;

interface Attempt {
  name: JobName;
  handler: JobHandler;
  job: Job;
  logger: Logger;
  finish: (outcome: FinishedAttempt['outcome']) => void;
}

/**
 * Runs the handler of a job once and reports the outcome to Agenda.
 *
 * @throws {JobFailure} the only error that Agenda may see, since it stores the text of errors with the job
 */
export async function attemptJob(attempt: Attempt): Promise<void> {
  const { handler, job, finish } = attempt;
  const { failCount, crashes = 0 } = job.attrs as CrashCounted;
  if (crashes > MAX_CRASHES) return giveUp(attempt, JobFailure.ofCrashes());

  const number = (failCount ?? 0) + 1;
  const isLast = number > handler.faultRetryDelaysMs.length;
  try {
    const deferral = await handler.run(dataOf(job));
    if (deferral) job.attrs.nextRunAt = new Date(Date.now() + deferral.deferMs);
    finish(deferral ? 'deferred' : 'done');
  } catch (error) {
    const failure = JobFailure.of(error, isLast);
    attempt.logger.warn({ jobName: attempt.name, attemptCount: number, err: error }, 'a job failed');
    if (isLast) return giveUp(attempt, failure);
    finish('retried');
    throw failure;
  }
}

/** Returns the pause after a failed attempt, in milliseconds, or null if the job is not retried. */
export function pauseBefore(
  { faultRetryDelaysMs, jitter = 0 }: JobHandler,
  attempt: number,
  error: Error,
): number | null {
  const pause = faultRetryDelaysMs[attempt - 1];
  if (pause === undefined || !(error instanceof JobFailure) || error.isFinal) return null;
  const spread = 1 + jitter * (Math.random() * 2 - 1);
  return Math.round(pause * spread);
}

async function giveUp({ name, handler, job, logger, finish }: Attempt, failure: JobFailure): Promise<never> {
  finish('failed');
  try {
    await handler.giveUp?.(dataOf(job), failure.errorName);
  } catch (error) {
    logger.error({ jobName: name, err: error }, 'a job that failed could not be marked as failed');
  }
  throw failure;
}

/** Returns the data of a job. Units of work only enqueue data that fits the job's name. */
function dataOf(job: Job): JobData[JobName] {
  return job.attrs.data as JobData[JobName];
}
