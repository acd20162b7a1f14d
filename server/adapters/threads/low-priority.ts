import { setPriority } from 'node:os';
import { platform } from 'node:process';

/** Niceness of a worker thread. When it competes with the event loop for a processor, it gets about a quarter of it. */
const NICENESS = 5;

/** Lowers the priority of this thread on Linux. Other systems would lower that of the process, event loop included. */
export function lowerPriority(): void {
  if (platform === 'linux') setPriority(NICENESS);
}
