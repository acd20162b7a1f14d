/** Limit of all credentials of a person in an organization together, as a multiple of the limit of one credential. */
export const PERSON_FACTOR = 2;

interface Counted {
  /** Maximum number of requests of one credential per window. */
  limit: number;
  /** Requests of the credential in this window, including this one. */
  own: number;
  /** Requests of all credentials of the person within their limits; undefined for a credential without a person. */
  ofPerson: number | undefined;
}

interface Verdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  isOfPerson: boolean;
}

/**
 * Applies both limits to a request, and reports the one with fewer requests left. A request beyond the credential's own
 * limit must not count for the person, so that one faulty program does not use up the limit of the others.
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
