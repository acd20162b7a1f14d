/** What an inbound webhook can take in; the first two of a code host, the others of an issue tracker. */
export const INBOUND_EVENTS = ['push', 'issues', 'Issue', 'Comment'] as const;

/** What an outbound webhook can report. */
export const OUTBOUND_EVENTS = ['memory.ingested', 'memory.updated', 'memory.deleted'] as const;
