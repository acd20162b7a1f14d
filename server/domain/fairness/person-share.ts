/** How many times the limit of one credential all credentials of a person in an organization have together. */
export const PERSON_FACTOR = 2;

interface Counted {
  /** Requests of a window that one credential may send. */
  limit: number;
  /** Requests of the credential in this window, this one included. */
  own: number;
  /** Requests of all credentials of the person within their own limits; undefined for a credential of no person. */
  ofPerson: number | undefined;
}

interface Verdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  isOfPerson: boolean;
}

/**
 * Decides on a request by both limits, and reports the one with less left. A
 * request beyond the credential's own limit must not be counted for the person,
 * so that one runaway program does not use up what the others share.
 */
export function judgeRequest({ limit, own, ofPerson }: Counted): Verdict {
  const ofCredential = { allowed: own <= limit, limit, remaining: Math.max(0, limit - own), isOfPerson: false };
  if (ofPerson === undefined || !ofCredential.allowed) return ofCredential;
  const most = PERSON_FACTOR * limit;
  const remaining = Math.max(0, most - ofPerson);
  const allowed = ofPerson <= most;
  if (allowed && remaining >= ofCredential.remaining) return ofCredential;
  return { allowed, limit: most, remaining, isOfPerson: true };
}
