import { type JobParameters, toJobId } from 'agenda';
import { ObjectId } from 'mongodb';
import type { NewJob } from '../../../ports/job-queue.js';
import { type CrashCounted, firstRunAt } from '../../agenda/job-backend.js';
import type { JobDocument } from '../engine/collections.js';

export function toJobDocument(job: NewJob): JobDocument {
  return {
    _id: new ObjectId(),
    name: job.name,
    data: job.data,
    nextRunAt: firstRunAt(job),
    lockedAt: null,
    lastRunAt: null,
    lastFinishedAt: null,
    failedAt: null,
    failCount: 0,
    failReason: null,
    crashes: 0,
  };
}

export function toJob(document: JobDocument): CrashCounted {
  const { _id, name, data, nextRunAt, failCount, crashes } = document;
  return {
    _id: toJobId(_id.toHexString()),
    name,
    type: 'normal',
    priority: 0,
    data,
    nextRunAt,
    lockedAt: document.lockedAt ?? undefined,
    lastRunAt: document.lastRunAt ?? undefined,
    lastFinishedAt: document.lastFinishedAt ?? undefined,
    failedAt: document.failedAt ?? undefined,
    failCount,
    failReason: document.failReason ?? undefined,
    crashes,
  };
}

/** Returns the fields that an attempt changes. */
export function stateOf(job: JobParameters): Partial<JobDocument> {
  return {
    nextRunAt: job.nextRunAt ?? null,
    lockedAt: job.lockedAt ?? null,
    lastRunAt: job.lastRunAt ?? null,
    lastFinishedAt: job.lastFinishedAt ?? null,
    failedAt: job.failedAt ?? null,
    failCount: job.failCount ?? 0,
    failReason: job.failReason ?? null,
  };
}
