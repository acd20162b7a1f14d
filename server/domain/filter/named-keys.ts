/** Metadata keys whose values `stats` counts (section 4.8). */
export const FACET_KEYS = ['agentId', 'source', 'surface', 'project', 'kind'] as const;

export type FacetKey = (typeof FACET_KEYS)[number];

/** Metadata keys that a filter names without `match` (section 2.3). */
export const FILTER_KEYS = [...FACET_KEYS, 'documentId'] as const;
