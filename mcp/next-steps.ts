import type { Refusal } from './result.js';

/** The next step of a model after an error, by its code. */
const BY_CODE: Readonly<Record<string, string>> = {
  unauthenticated: 'Ask the user to set MEMORY_TOKEN to a valid access token.',
  organization_forbidden: 'Ask the user to check the organization of this connection.',
  ability_denied: 'Tell the user that the access token does not allow this. Do not try again.',
  subject_key_invalid: 'Use the form of the subject keys in other results, or leave subjectKey out.',
  content_rejected: 'Leave out what looks like a secret, a card number or an address, then call again.',
  external_key_conflict: 'Replace its content with memory_upsert, or use another externalKey.',
  content_conflict: 'Nothing was changed. Read the other memory with memory_get and its id.',
  quota_exceeded: 'Tell the user that the monthly cap is reached. Do not try again.',
  entitlement_required: 'Tell the user that the plan of the organization has ended. Do not try again.',
  service_unavailable: 'Call again in a few seconds. service_health says what is down.',
};

/** Returns the next step of a model after an error, or undefined if the message says enough. */
export function nextStep({ error, code, retryAfter }: Refusal): string | undefined {
  if (code === undefined && error === 'Not found') return 'memory_search and memory_recent return ids.';
  if (code === 'rate_limited') return `Wait ${Number(retryAfter ?? 60)} seconds, then call again.`;
  return code === undefined ? undefined : BY_CODE[code];
}
