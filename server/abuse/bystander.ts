import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Place } from '../testing/processes/found-organizations.js';

export interface BystanderSetup {
  port: number;
  /** Used in turn, so that each stays within its rate limits. */
  tenants: readonly Place[];
  /** The time between one search and write and the next. */
  intervalMs: number;
  /** The time after which a request or an event counts as missing. */
  deadlineMs: number;
}

export type BystanderOrder = 'go' | 'collect';

/** One measurement of the bystander. The time of an event starts at the answer to its write. */
export interface Sample {
  kind: 'search' | 'write' | 'event';
  ms: number;
  /** 0 if there was no answer or no event. */
  status: number;
}

/** Runs a tenant within its limits beside an attack. It searches, writes, and receives an event for each write. */
export class Bystander {
  private constructor(private readonly thread: Worker) {}

  static async start(setup: BystanderSetup): Promise<Bystander> {
    const thread = new Worker(new URL('./bystander-thread.js', import.meta.url), { workerData: setup });
    await once(thread, 'message');
    return new Bystander(thread);
  }

  go(): void {
    this.thread.postMessage('go' satisfies BystanderOrder);
  }

  /** Stops until the next `go`. Resolves when all pending requests have been answered or given up. */
  async collect(): Promise<Sample[]> {
    const message = once(this.thread, 'message') as Promise<[Sample[]]>;
    this.thread.postMessage('collect' satisfies BystanderOrder);
    const [samples] = await message;
    return samples;
  }

  async stop(): Promise<void> {
    await this.thread.terminate();
  }
}
