import { setTimeout as pause } from 'node:timers/promises';

interface Window {
  /** Requests of a whole window. */
  limit: number;
  remaining: number;
  /** Milliseconds of the clock. */
  resetsAt: number;
  /** True until an answer reports the limit. */
  isAssumed: boolean;
}

/** Waits a little longer than told: the clocks of two machines differ. */
const MARGIN_MS = 250;
const WINDOW_MS = 60_000;
const RESET = /;\s*t=(\d+)/;

/** How many of the turns of a window are left to others. */
export type Leaving = (limit: number) => number;

/**
 * Keeps requests within the per-minute limits, as the answers tell them. A key stands for a credential and a class.
 * If nothing is known of a key yet, one request goes first, and the others wait for its answer.
 */
export class Pacer {
  private readonly windows = new Map<string, Window>();
  private readonly scouts = new Map<string, PromiseWithResolvers>();

  constructor(
    private readonly now: () => number = Date.now,
    private readonly sleep: (ms: number) => Promise<unknown> = pause,
  ) {}

  /** Uses a turn of a key, if one is available. */
  takes(key: string, leaving: Leaving = () => 0): boolean {
    const window = this.openWindow(key);
    if (window) {
      if (window.remaining <= leaving(window.limit)) return false;
      window.remaining -= 1;
      return true;
    }
    if (this.scouts.has(key)) return false;
    this.scouts.set(key, withResolvers());
    return true;
  }

  /** Reports if a pending answer will set the limit of one of these keys. */
  isLearning(keys: readonly string[]): boolean {
    return keys.some((key) => this.scouts.has(key));
  }

  /** Waits until one of these keys may have a turn: what is awaited tells of it, or its count starts anew. */
  async nextTurn(keys: readonly string[]): Promise<void> {
    const awaited = keys.flatMap((key) => this.scouts.get(key)?.promise ?? []);
    if (awaited.length > 0) return Promise.race(awaited);
    const resets = keys.flatMap((key) => this.openWindow(key)?.resetsAt ?? []);
    if (resets.length > 0) await this.sleep(Math.min(...resets) - this.now() + MARGIN_MS);
  }

  /**
   * Takes in what an answer tells about the limit of its key.
   *
   * @param assumed the limit that is counted on where no answer tells of one
   */
  learn(key: string, headers: Headers, assumed: number): void {
    const known = this.openWindow(key);
    const seen = readWindow(headers, this.now());
    if (seen && known && !known.isAssumed) {
      // Answers arrive in any order, and requests under way are counted here already.
      known.remaining = Math.min(known.remaining, seen.remaining);
    } else if (seen) {
      this.windows.set(key, seen);
    } else if (!known) {
      const resetsAt = this.now() + WINDOW_MS;
      this.windows.set(key, { limit: assumed, remaining: assumed - 1, resetsAt, isAssumed: true });
    }
    this.arrive(key);
  }

  /** Returns a turn that the deployment did not count, or whose answer had no limits. */
  giveBack(key: string): void {
    const window = this.openWindow(key);
    if (window && !this.scouts.has(key)) window.remaining += 1;
    this.arrive(key);
  }

  /** Delays every request of a key until the time is over. */
  holdBack(key: string, ms: number): void {
    const limit = this.windows.get(key)?.limit ?? 0;
    this.windows.set(key, { limit, remaining: 0, resetsAt: this.now() + ms, isAssumed: false });
    this.arrive(key);
  }

  private arrive(key: string): void {
    this.scouts.get(key)?.resolve();
    this.scouts.delete(key);
  }

  private openWindow(key: string): Window | undefined {
    const window = this.windows.get(key);
    return window && this.now() < window.resetsAt ? window : undefined;
  }
}

interface PromiseWithResolvers {
  promise: Promise<void>;
  resolve: () => void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function readWindow(headers: Headers, now: number): Window | undefined {
  const remaining = headers.get('x-ratelimit-remaining');
  const reset = RESET.exec(headers.get('ratelimit') ?? '')?.[1];
  if (remaining === null || reset === undefined) return undefined;
  const limit = Number(headers.get('x-ratelimit-limit') ?? remaining);
  return { limit, remaining: Number(remaining), resetsAt: now + Number(reset) * 1_000, isAssumed: false };
}
