import type { Answer } from '../testing/app/http-client.js';
import { contractFault } from './contract-fault.js';

const MAX_FAULTS = 20;

/** Counts the answers to an attack. */
export class Tally {
  /** Answers by status; 0 counts requests without an answer. */
  readonly statuses = new Map<number, number>();
  /** Violations of the contract, and effects that an attack must not have. */
  readonly faults: string[] = [];
  /** Notes that the report prints beside the figures. */
  readonly notes: string[] = [];
  /** The reasons of 503 answers: their texts without numbers. */
  readonly refusals = new Map<string, number>();
  /** The requests whose 503 has no text, as those of readiness and HEAD. */
  readonly wordless = new Map<string, number>();
  slowestMs = 0;
  /** The request that took `slowestMs`. */
  slowest = '';
  /** The number of requests so far, answered or not. */
  sent = 0;
  /** The conditions that the attack did not reach. Without them, its figures mean nothing. */
  readonly missed: string[] = [];

  take(method: string, target: string, answer: Answer, ms: number): void {
    this.count(answer.status);
    if (ms > this.slowestMs) {
      this.slowestMs = ms;
      this.slowest = `${method} ${target.slice(0, 80)}: ${answer.status}`;
    }
    if (answer.status === 503) this.countRefusal(method, target, answer);
    const fault = contractFault(method, target, answer);
    if (fault !== undefined) this.fault(fault);
  }

  count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  private countRefusal(method: string, target: string, { body: { error } }: Answer): void {
    const hasText = typeof error === 'string';
    const counts = hasText ? this.refusals : this.wordless;
    const reason = hasText ? error.replace(/\d+/g, 'N') : `${method} ${target.split('?', 1)[0]}`;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }

  fault(text: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(text);
  }

  note(text: string): void {
    this.notes.push(text);
  }

  /**
   * Records how far an attack came. If `count` is less than `least`, the attack did not take place.
   *
   * @param what the noun that follows the count
   */
  reached(count: number, least: number, what: string): void {
    if (count < least) this.missed.push(`${count} ${what}, but the attack needs ${least}`);
  }

  /** Returns the number of answers with one of these statuses. */
  answered(...statuses: readonly number[]): number {
    return statuses.reduce((sum, status) => sum + (this.statuses.get(status) ?? 0), 0);
  }

  /** The number of requests that the service processed or is processing: neither rate limited nor rejected with 503. */
  get taken(): number {
    return this.sent - this.answered(0, 401, 403, 429, 503);
  }

  /** Returns a text such as `200 × 31, 503 × 4, under way × 1`. */
  summary(): string {
    const answered = [...this.statuses.values()].reduce((sum, count) => sum + count, 0);
    const rest = this.sent > answered ? [`under way × ${this.sent - answered}`] : [];
    const sorted = [...this.statuses].sort(([one], [other]) => one - other);
    const counts = sorted.map(([status, count]) => `${status === 0 ? 'no answer' : status} × ${count}`);
    return [...counts, ...rest].join(', ');
  }
}
