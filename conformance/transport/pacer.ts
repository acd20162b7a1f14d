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
/** The name of the limit that all tokens of a person share. */
const SHARED = /^"[^"]*-person"/;

/** How many of the turns of a window are left to others. */
export type Leaving = (limit: number) => number;

/** The limits that count a request: that of its credential, and one that all credentials of a person share. */
export interface Keys {
  own: string;
  /** Undefined if the person is unknown. */
  shared?: string | undefined;
}

/**
 * Keeps requests within the per-minute limits, as the answers tell them. A key stands for a credential or a person, and
 * a class. If nothing is known of a credential yet, one request goes first, and the others wait for its answer. The limit
 * of a person is unknown until an answer reports it.
 */
export class Pacer {
  private readonly windows = new Map<string, Window>();
  private readonly scouts = new Map<string, PromiseWithResolvers>();

  constructor(
    private readonly now: () => number = Date.now,
    private readonly sleep: (ms: number) => Promise<unknown> = pause,
  ) {}

  /** Uses a turn, if one is available. */
  takes({ own, shared }: Keys, leaving: Leaving = () => 0): boolean {
    if (this.isUsedUp(shared)) return false;
    const window = this.openWindow(own);
    if (window && window.remaining <= leaving(window.limit)) return false;
    if (!window && this.scouts.has(own)) return false;
    if (window) window.remaining -= 1;
    else this.scouts.set(own, withResolvers());
    const ofPerson = this.openWindow(shared);
    if (ofPerson) ofPerson.remaining -= 1;
    return true;
  }

  /** Reports if nothing is left of a limit that several credentials share. */
  isUsedUp(shared: string | undefined): boolean {
    const window = this.openWindow(shared);
    return window !== undefined && window.remaining <= 0;
  }

  /** Reports if a pending answer will set the limit of one of these credentials. */
  isLearning(keys: readonly Keys[]): boolean {
    return keys.some(({ own }) => this.scouts.has(own));
  }

  /** Waits until one of these may have a turn: what is awaited tells of it, or its count starts anew. */
  async nextTurn(keys: readonly Keys[]): Promise<void> {
    const usedUp = keys.map(({ shared }) => (this.isUsedUp(shared) ? this.openWindow(shared) : undefined));
    const awaited = keys.flatMap(({ own }, at) => (usedUp[at] ? [] : (this.scouts.get(own)?.promise ?? [])));
    if (awaited.length > 0) return Promise.race(awaited);
    const resets = keys.flatMap(({ own }, at) => (usedUp[at] ?? this.openWindow(own))?.resetsAt ?? []);
    if (resets.length > 0) await this.sleep(Math.min(...resets) - this.now() + MARGIN_MS);
  }

  /**
   * Takes in what an answer tells about its limits.
   *
   * @param assumed the limit that is counted on where no answer tells of one
   */
  learn({ own, shared }: Keys, headers: Headers, assumed: number): void {
    const known = this.openWindow(own);
    const seen = readWindow(headers, this.now());
    const ofPerson = isOfPerson(headers) ? shared : undefined;
    if (seen && ofPerson !== undefined) this.narrow(ofPerson, seen);
    if (seen && known && ofPerson !== undefined) {
      // An answer reports only the limit with less left, which is not that of the credential.
      known.isAssumed = false;
    } else if (seen && known && !known.isAssumed) {
      // Answers arrive in any order, and requests under way are counted here already.
      known.remaining = Math.min(known.remaining, seen.remaining);
    } else if (seen) {
      this.windows.set(own, { ...seen });
    } else if (!known) {
      const resetsAt = this.now() + WINDOW_MS;
      this.windows.set(own, { limit: assumed, remaining: assumed - 1, resetsAt, isAssumed: true });
    }
    this.arrive(own);
  }

  /** Returns a turn that the deployment did not count, or whose answer had no limits. */
  giveBack({ own, shared }: Keys): void {
    const window = this.openWindow(own);
    const ofPerson = this.openWindow(shared);
    if (window && !this.scouts.has(own)) window.remaining += 1;
    if (ofPerson) ofPerson.remaining += 1;
    this.arrive(own);
  }

  /** Delays every request that the limit of a rejection counts, until the time is over. */
  holdBack({ own, shared }: Keys, headers: Headers, ms: number): void {
    const key = (isOfPerson(headers) ? shared : undefined) ?? own;
    const limit = this.windows.get(key)?.limit ?? 0;
    this.windows.set(key, { limit, remaining: 0, resetsAt: this.now() + ms, isAssumed: false });
    this.arrive(own);
  }

  /** Sets what is left of a window, unless less is known to be left. */
  private narrow(key: string, seen: Window): void {
    const remaining = Math.min(this.openWindow(key)?.remaining ?? seen.remaining, seen.remaining);
    this.windows.set(key, { ...seen, remaining });
  }

  private arrive(key: string): void {
    this.scouts.get(key)?.resolve();
    this.scouts.delete(key);
  }

  private openWindow(key: string | undefined): Window | undefined {
    const window = key === undefined ? undefined : this.windows.get(key);
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

/** Reports if an answer is about the limit that all tokens of a person share. */
function isOfPerson(headers: Headers): boolean {
  return SHARED.test(headers.get('ratelimit') ?? '');
}

function readWindow(headers: Headers, now: number): Window | undefined {
  const remaining = headers.get('x-ratelimit-remaining');
  const reset = RESET.exec(headers.get('ratelimit') ?? '')?.[1];
  if (remaining === null || reset === undefined) return undefined;
  const limit = Number(headers.get('x-ratelimit-limit') ?? remaining);
  return { limit, remaining: Number(remaining), resetsAt: now + Number(reset) * 1_000, isAssumed: false };
}
