import type { EarlierRequests, OpenWindow, RateWindow } from './rate-windows.js';

/** How long the counts of other processes may be unknown. */
const FRESH_MS = 10_000;

/** A window and the requests of this process that the others do not know of yet. */
interface LocalWindow {
  endsAt: Date;
  /** Milliseconds of the process clock. */
  endsMs: number;
  /** When the counts were read. */
  knownMs: number;
  known: Pick<RateWindow, 'count' | 'by'>;
  /** True if all credentials of a person share the window. */
  isOfPerson: boolean;
  pending: Requests;
  /** Requests that are being written. */
  sent: Requests;
}

interface Requests {
  count: number;
  by: Map<string, number>;
}

/** The bounds of a request that is counted in this process alone. */
export interface LocalBounds {
  /** Maximum number of requests of the window that only this process knows of. */
  unwritten: number;
  /** Maximum count of the credential. */
  own: number;
  /** Maximum count of all credentials of a person. */
  ofPerson: number;
}

/** Counts requests in this process, in windows that were read from the database a short time ago. */
export class LocalWindows {
  readonly #windows = new Map<string, LocalWindow>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get isEmpty(): boolean {
    return this.#windows.size === 0;
  }

  /** Counts a request. Returns undefined, and counts nothing, if the database has to count it. */
  count(id: string, credentialId: string, bounds: LocalBounds) {
    const window = this.#open(id);
    if (!window || this.#nowMs() >= window.knownMs + FRESH_MS) return undefined;
    const { known, pending, sent } = window;
    const unwritten = pending.count + sent.count + 1;
    const count = known.count + unwritten;
    const ofCredential = (known.by?.[credentialId] ?? 0) + ownOf(pending, credentialId) + ownOf(sent, credentialId) + 1;
    const own = window.isOfPerson ? ofCredential : count;
    if (unwritten > bounds.unwritten || own > bounds.own || count > bounds.ofPerson) return undefined;
    add(pending, credentialId, 1);
    return { count, own, leftMs: window.endsMs - this.#nowMs() };
  }

  /** Takes the requests of a credential that are not written, because they are written with its next one. */
  takeOwn(id: string, credentialId: string): { earlier: number; endsAt: Date | undefined } {
    const window = this.#open(id);
    if (!window) return { earlier: 0, endsAt: undefined };
    const earlier = ownOf(window.pending, credentialId);
    window.pending.by.delete(credentialId);
    window.pending.count -= earlier;
    return { earlier, endsAt: window.endsAt };
  }

  /** Records the state of a window after a request. @param sentMs when the request was sent */
  learn(found: OpenWindow, isOfPerson: boolean, sentMs: number): void {
    const { _id, endsAt, leftMs } = found;
    const window = this.#windows.get(_id);
    if (window && window.endsAt.getTime() === endsAt.getTime()) {
      refresh(window, found, sentMs);
      return;
    }
    if (window && window.endsAt > endsAt) return;
    this.#windows.set(_id, {
      endsAt,
      endsMs: sentMs + Number(leftMs),
      knownMs: sentMs,
      known: found,
      isOfPerson,
      pending: noRequests(),
      sent: noRequests(),
    });
  }

  /** Takes all requests to write, and forgets ended windows. `written` or `lost` must follow. */
  takeAll(): EarlierRequests[] {
    const taken: EarlierRequests[] = [];
    for (const [_id, window] of this.#windows) {
      if (window.endsMs <= this.#nowMs()) this.#windows.delete(_id);
      else if (window.pending.count > 0) {
        window.sent = window.pending;
        window.pending = noRequests();
        const { count, by } = window.sent;
        taken.push({ _id, endsAt: window.endsAt, count, by: window.isOfPerson ? by : undefined });
      }
    }
    return taken;
  }

  /** Records that the taken requests were written, and what their windows have now. */
  written(taken: readonly EarlierRequests[], found: readonly RateWindow[], sentMs: number): void {
    const windows = new Map(found.map((window) => [window._id, window]));
    for (const { _id, endsAt } of taken) {
      const [window, stored] = [this.#windows.get(_id), windows.get(_id)];
      if (!window || window.endsAt !== endsAt) continue;
      if (stored?.endsAt.getTime() !== endsAt.getTime()) this.#windows.delete(_id);
      else {
        refresh(window, stored, sentMs);
        window.sent = noRequests();
      }
    }
  }

  /** Forgets windows whose requests may be lost, so that the database counts their next request. */
  lost(taken: readonly Pick<EarlierRequests, '_id'>[]): void {
    for (const { _id } of taken) this.#windows.delete(_id);
  }

  #open(id: string): LocalWindow | undefined {
    const window = this.#windows.get(id);
    return window && window.endsMs > this.#nowMs() ? window : undefined;
  }
}

function noRequests(): Requests {
  return { count: 0, by: new Map() };
}

/** Sets the known counts. Answers may arrive in another order than the counts were made. */
function refresh(window: LocalWindow, found: RateWindow, sentMs: number): void {
  if (found.count >= window.known.count) window.known = found;
  window.knownMs = sentMs;
}

function ownOf({ by }: Requests, credentialId: string): number {
  return by.get(credentialId) ?? 0;
}

function add(requests: Requests, credentialId: string, count: number): void {
  requests.count += count;
  requests.by.set(credentialId, ownOf(requests, credentialId) + count);
}
