import { aPush, sha } from './code-host.js';
import { anIssueEvent } from './tracker.js';

/** An event that a sender of a kind brings, and another one. */
export function twoEvents(kind: 'codehost' | 'tracker'): { payload: object; other: object } {
  return kind === 'codehost'
    ? { payload: aPush([{ id: sha(1) }]), other: aPush([{ id: sha(2) }]) }
    : { payload: anIssueEvent('create'), other: anIssueEvent('update') };
}
