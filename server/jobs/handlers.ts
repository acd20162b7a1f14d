import type { Deps } from '../deps.js';
import type { JobHandlers } from '../ports/job-queue.js';
import { deleteOrganizationJob } from './delete-organization.js';
import { deliverOutboundJob } from './deliver-outbound.js';
import { eraseSubjectJob } from './erase-subject.js';
import { ingestDeliveryJob } from './ingest-delivery.js';
import { reembedJob } from './reembed.js';

/** Returns the handler of each job. */
export function jobHandlers(deps: Deps): JobHandlers {
  return {
    'ingest-delivery': ingestDeliveryJob(deps),
    'deliver-outbound': deliverOutboundJob(deps),
    'erase-subject': eraseSubjectJob(deps),
    'delete-organization': deleteOrganizationJob(deps),
    reembed: reembedJob(deps),
  };
}
