import { type JobParameters, toJobId } from 'agenda';
import { expect, test } from 'vitest';
import { FairJobs } from './fair-jobs.js';
import type { LaneJobs } from './job-backend.js';

test('a job looks locked to Agenda until its end is stored, and is stored as unlocked', async () => {
  const saved: JobParameters[] = [];
  const seenByAgenda: unknown[] = [];
  const jobs: LaneJobs = {
    getNextJobToRun: async () => undefined,
    saveJobState: async (state) => {
      saved.push(state);
      seenByAgenda.push(job.lockedAt);
    },
    unlockJob: async () => {},
    unlockJobs: async () => {},
  };
  const job: JobParameters = {
    _id: toJobId('1'),
    name: 'deliver-outbound',
    type: 'normal',
    priority: 0,
    data: {},
    nextRunAt: null,
    lockedAt: undefined,
  };

  await new FairJobs(jobs).saveJobState(job, undefined);

  expect(seenByAgenda).toEqual([expect.any(Date)]);
  expect(saved).toMatchObject([{ lockedAt: undefined }]);
});
