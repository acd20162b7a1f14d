import { setTimeout as pause } from 'node:timers/promises';

interface Window {
  remaining: number;
  /** Milliseconds of the clock. */
  resetsAt: number;
}

/** Waits a little longer than told: the clocks of two machines differ. */
const MARGIN_MS = 250;
const RESET = /;\s*t=(\d+)/;

/**
 * Keeps requests within the per-minute limits, as the answers tell them. Where nothing is known yet, one request goes
 * ahead and the others wait for what its answer says.
 */
export class Pacer {
  private readonly windows = new Map<string, Window>();
  private readonly scouts = new Map<string, Promise<void>>();
  private readonly arrivals = new Map<string, () => void>();

  constructor(
    private readonly now: () => number = Date.now,
    private readonly sleep: (ms: number) => Promise<unknown> = pause,
  ) {}

  /** Waits until one more request of this credential and class is allowed. */
  async turn(key: string): Promise<void> {
    for (;;) {
      const window = this.windows.get(key);
      if (window && this.now() < window.resetsAt) {
        if (window.remaining > 0) {
          window.remaining -= 1;
          return;
        }
        await this.sleep(window.resetsAt - this.now() + MARGIN_MS);
      }
      const scout = this.scouts.get(key);
      if (!scout && !this.isOpen(key)) {
        this.scouts.set(key, new Promise((resolve) => this.arrivals.set(key, resolve)));
        return;
      }
      await scout;
    }
  }

  /** Takes in what an answer, or the lack of one, tells about the limit. */
  learn(key: string, headers?: Headers): void {
    const known = this.windows.get(key);
    const seen = headers && readWindow(headers, this.now());
    if (seen && known && this.now() < known.resetsAt) {
      // Answers arrive in any order, and requests under way are counted here already.
      known.remaining = Math.min(known.remaining, seen.remaining);
    } else if (seen) {
      this.windows.set(key, seen);
    }
    this.scouts.delete(key);
    this.arrivals.get(key)?.();
    this.arrivals.delete(key);
  }

  /** Keeps every request of this credential and class back until the time is over. */
  holdBack(key: string, ms: number): void {
    this.windows.set(key, { remaining: 0, resetsAt: this.now() + ms });
  }

  private isOpen(key: string): boolean {
    const window = this.windows.get(key);
    return window !== undefined && this.now() < window.resetsAt;
  }
}

function readWindow(headers: Headers, now: number): Window | undefined {
  const remaining = headers.get('x-ratelimit-remaining');
  const reset = RESET.exec(headers.get('ratelimit') ?? '')?.[1];
  if (remaining === null || reset === undefined) return undefined;
  return { remaining: Number(remaining), resetsAt: now + Number(reset) * 1_000 };
}
