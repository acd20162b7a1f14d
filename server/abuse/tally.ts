import type { Answer } from '../testing/app/http-client.js';
import { contractFault } from './contract-fault.js';

const MOST_FAULTS = 20;

/** What an attack was answered. */
export class Tally {
  /** Answers by status; 0 counts requests without an answer. */
  readonly statuses = new Map<number, number>();
  /** What the contract does not allow, and what an attack must not achieve. */
  readonly faults: string[] = [];
  /** What is worth to be read beside the figures. */
  readonly notes: string[] = [];
  /** Why answers with 503 were refused, by their texts without numbers. */
  readonly refusals = new Map<string, number>();
  slowestMs = 0;
  /** The request that took so long. */
  slowest = '';
  /** Requests so far, answered or not. */
  sent = 0;
  /** What the attack had to reach and did not: without it, the figures say nothing. */
  readonly missed: string[] = [];

  take(method: string, target: string, answer: Answer, ms: number): void {
    this.count(answer.status);
    if (ms > this.slowestMs) {
      this.slowestMs = ms;
      this.slowest = `${method} ${target.slice(0, 80)}: ${answer.status}`;
    }
    const { error } = answer.body;
    if (answer.status === 503 && typeof error === 'string') this.countRefusal(error);
    const fault = contractFault(method, target, answer);
    if (fault !== undefined) this.fault(fault);
  }

  count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  private countRefusal(error: string): void {
    const reason = error.replace(/\d+/g, 'N');
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
  }

  fault(text: string): void {
    if (this.faults.length < MOST_FAULTS) this.faults.push(text);
  }

  note(text: string): void {
    this.notes.push(text);
  }

  /**
   * Notes how far an attack came, and that it did not take place if that is less than `least`.
   *
   * @param what is counted, as it follows a number
   */
  reached(count: number, least: number, what: string): void {
    if (count < least) this.missed.push(`${count} ${what}, where the attack needs ${least}`);
  }

  /** How many answers had one of these statuses. */
  answered(...statuses: readonly number[]): number {
    return statuses.reduce((sum, status) => sum + (this.statuses.get(status) ?? 0), 0);
  }

  /** Requests that the service has worked on or works on, so neither limited nor without a place. */
  get taken(): number {
    return this.sent - this.answered(0, 401, 403, 429, 503);
  }

  /** Such as `200 × 31, 503 × 4, under way × 1`. */
  summary(): string {
    const answered = [...this.statuses.values()].reduce((sum, count) => sum + count, 0);
    const rest = this.sent > answered ? [`under way × ${this.sent - answered}`] : [];
    const sorted = [...this.statuses].sort(([one], [other]) => one - other);
    const counts = sorted.map(([status, count]) => `${status === 0 ? 'no answer' : status} × ${count}`);
    return [...counts, ...rest].join(', ');
  }
}
