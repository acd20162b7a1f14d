/** Milliseconds. */
export interface Latency {
  p50: number;
  p95: number;
}

/** Calls before the measurement by default: enough for the compiler to optimize the code. */
const WARM_UP = 200;

/** Runs `work` once for each input, one after the other, after some calls that do not count. */
export async function timeEach<T>(
  inputs: readonly T[],
  work: (input: T) => unknown,
  warmUp = WARM_UP,
): Promise<Latency> {
  const times: number[] = [];
  for (const [n, input] of inputs.entries()) {
    const start = performance.now();
    await work(input);
    if (n >= warmUp) times.push(performance.now() - start);
  }
  return summarize(times);
}

export function summarize(times: readonly number[]): Latency {
  const sorted = [...times].sort((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
