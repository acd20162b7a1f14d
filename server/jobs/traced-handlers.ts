import type { JobHandler, JobHandlers, JobName } from '../ports/job-queue.js';
import { type Tracing, traced } from '../ports/tracing.js';

/** Returns handlers with a span for each attempt. */
export function tracedHandlers(handlers: JobHandlers, tracing: Tracing): JobHandlers {
  return Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [name, tracedHandler(name as JobName, handler, tracing)]),
  );
}

function tracedHandler<Name extends JobName>(
  name: Name,
  handler: JobHandler<Name>,
  tracing: Tracing,
): JobHandler<Name> {
  return { ...handler, run: (data) => traced(tracing, { kind: 'job', name: `job ${name}` }, () => handler.run(data)) };
}
