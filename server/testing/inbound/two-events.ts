import { aPush, sha } from './code-host.js';
import { anIssueEvent } from './tracker.js';

/** Returns two different events that a sender of a kind delivers. */
export function twoEvents(kind: 'codehost' | 'tracker'): { payload: object; other: object } {
  return kind === 'codehost'
    ? { payload: aPush([{ id: sha(1) }]), other: aPush([{ id: sha(2) }]) }
    : { payload: anIssueEvent('create'), other: anIssueEvent('update') };
}
