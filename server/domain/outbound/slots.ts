/** Deliveries under way to one endpoint at once. */
const SLOTS = 4;
/** From a slow one less is asked, so that the slow ones together do not take every place. */
const SLOTS_WHEN_SLOW = 1;
const SLOW_MS = 2_000;

/** Weight of the latest delivery in the mean. */
const RECENT = 0.3;

const SHORTEST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5 * 60_000;

interface Endpoint {
  /** When those under way began. */
  started: number[];
  /** How long deliveries take, the latest ones weighed more; undefined before the first is done. */
  meanMs: number | undefined;
  /** When the last one that was sent away is due. */
  lastTurnMs: number;
}

/** A place that was taken: to be given back when the delivery is done. */
export interface Slot {
  release(): void;
}

/**
 * Keeps an endpoint that is slow from holding up the others: each one has few
 * places, and who finds none is told when to come back, so that a queue of
 * deliveries to it does not wait where others could run.
 */
export class EndpointSlots {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #nowMs: () => number;

  /** @param nowMs any clock that goes forward */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Takes a place, or tells in how many milliseconds one is expected to be free. */
  take(endpointId: string): Slot | { waitMs: number } {
    const endpoint = this.#endpoints.get(endpointId) ?? { started: [], meanMs: undefined, lastTurnMs: 0 };
    this.#endpoints.set(endpointId, endpoint);
    const nowMs = this.#nowMs();
    const takesMs = Math.max(endpoint.meanMs ?? 0, nowMs - (endpoint.started[0] ?? nowMs));
    const slots = takesMs > SLOW_MS ? SLOTS_WHEN_SLOW : SLOTS;
    if (endpoint.started.length >= slots) return { waitMs: nextTurn(endpoint, nowMs, takesMs / slots) };

    endpoint.started.push(nowMs);
    return { release: () => this.#release(endpointId, endpoint, nowMs) };
  }

  #release(endpointId: string, endpoint: Endpoint, startedMs: number): void {
    endpoint.started.splice(endpoint.started.indexOf(startedMs), 1);
    const tookMs = this.#nowMs() - startedMs;
    endpoint.meanMs = endpoint.meanMs === undefined ? tookMs : endpoint.meanMs + RECENT * (tookMs - endpoint.meanMs);
    // Of a quick one nothing has to be remembered.
    if (endpoint.started.length === 0 && endpoint.meanMs < SLOW_MS) this.#endpoints.delete(endpointId);
  }
}

/** Those who wait come back one after the other. */
function nextTurn(endpoint: Endpoint, nowMs: number, stepMs: number): number {
  const turnMs = Math.max(endpoint.lastTurnMs, nowMs) + stepMs;
  const waitMs = Math.min(Math.max(turnMs - nowMs, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
  endpoint.lastTurnMs = nowMs + waitMs;
  return Math.round(waitMs);
}
