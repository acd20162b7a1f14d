import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into the server by the benchmark. On SIGUSR2 it writes the event loop delay since the last time and the
 * processor time of the process, in milliseconds, to the file that BENCH_LOOP_DELAY names.
 */
const RESOLUTION_MS = 5;

const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
histogram.enable();
process.on('SIGUSR2', () => {
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  const { user, system } = process.cpuUsage();
  const state = { p99: late(histogram.percentile(99)), max: late(histogram.max), processorMs: (user + system) / 1_000 };
  histogram.reset();
  writeFileSync(process.env.BENCH_LOOP_DELAY ?? 'loop-delay.json', JSON.stringify(state));
});
