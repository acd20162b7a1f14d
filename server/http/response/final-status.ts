import type { ServerResponse } from 'node:http';

/** What other servers report for a caller that left before its answer was complete; never sent. */
export const ABANDONED = 499;

/** Status of a closed answer, for logs and metrics. */
export function finalStatus({ writableFinished, statusCode }: ServerResponse): number {
  return writableFinished ? statusCode : ABANDONED;
}
