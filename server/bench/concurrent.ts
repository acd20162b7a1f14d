import { type Latency, summarize } from './timing.js';

interface Throughput {
  perSecond: number;
  latency: Latency;
}

/** Runs `clients` parallel clients, each one call after the other, until all inputs are used. */
export async function runConcurrently<T>(
  clients: number,
  inputs: readonly T[],
  work: (input: T) => Promise<unknown>,
): Promise<Throughput> {
  const times: number[] = [];
  let next = 0;
  const start = performance.now();
  const client = async () => {
    while (next < inputs.length) {
      const input = inputs[next++] as T;
      const from = performance.now();
      await work(input);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { perSecond: (inputs.length / (performance.now() - start)) * 1_000, latency: summarize(times) };
}
