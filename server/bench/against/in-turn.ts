import { runConcurrently } from '../concurrent.js';
import { type Latency, summarize } from '../timing.js';

/** Calls of one side before the next side has its turn: a few milliseconds. */
const CALLS_A_TURN = 5;
/** Calls of each client before the next side has its turn. */
const CALLS_A_TURN_EACH = 5;

type Work<T> = (input: T) => Promise<unknown>;

export interface Measured {
  latency: Latency;
  perSecond: number;
}

/**
 * Gives every input to each of several sides, a few at a time, so that a slow minute of the machine slows all of them.
 * The first `warmUp` inputs do not count. Returns a result for each side, in their order.
 */
export async function inTurn<T>(inputs: readonly T[], sides: readonly Work<T>[], warmUp: number): Promise<Measured[]> {
  return measureTurns(inputs, sides, warmUp, CALLS_A_TURN, 1);
}

/** Does the same with several clients at once on the side whose turn it is. */
export async function inTurnTogether<T>(
  clients: number,
  inputs: readonly T[],
  sides: readonly Work<T>[],
  warmUp: number,
): Promise<Measured[]> {
  return measureTurns(inputs, sides, warmUp, CALLS_A_TURN_EACH * clients, clients);
}

async function measureTurns<T>(
  inputs: readonly T[],
  sides: readonly Work<T>[],
  warmUp: number,
  callsATurn: number,
  clients: number,
): Promise<Measured[]> {
  const measured = sides.map((work) => ({ work, times: [] as number[], totalMs: 0 }));
  for (let at = 0; at < inputs.length; at += callsATurn) {
    const turn = inputs.slice(at, at + callsATurn);
    for (const side of measured) {
      const start = performance.now();
      const times: number[] = [];
      await runConcurrently(clients, turn, async (input) => {
        const from = performance.now();
        await side.work(input);
        times.push(performance.now() - from);
      });
      if (at < warmUp) continue;
      side.totalMs += performance.now() - start;
      side.times.push(...times);
    }
  }
  return measured.map(({ times, totalMs }) => ({
    latency: summarize(times),
    perSecond: (times.length / totalMs) * 1_000,
  }));
}
