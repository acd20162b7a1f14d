// Enumerations and bounds of the contract, for programs that offer or check them. They have an entry point of their own,
// so that bundles of the client do not contain them.
import {
  defaultLimits,
  exportMemoriesBounds,
  listRecentMemoriesBounds,
  listSimilarMemoriesBounds,
  searchMemoriesBounds,
  updateOrganizationSettingsBounds,
} from './generated/constants.gen.js';

export {
  errorCodeValues as ERROR_CODES,
  inboundEventValues as INBOUND_EVENTS,
  inboundKindValues as INBOUND_KINDS,
  outboundEventNameValues as OUTBOUND_EVENTS,
  roleValues as ROLES,
  searchModeValues as SEARCH_MODES,
} from './generated/constants.gen.js';

/** Types that an organization may choose for its subject keys. */
export const SUBJECT_KEY_TYPES = updateOrganizationSettingsBounds.subjectKeyType.enum;

/** Bounds of the number of versions that an organization may keep of each memory. */
export const KEPT_VERSIONS = updateOrganizationSettingsBounds.keptVersions;

/** Bounds and default of the number of items in a page. */
export const PAGE_LIMIT = exportMemoriesBounds.limit;

/** Bounds and default of the number of memories that `recent` returns. */
export const RECENT_LIMIT = listRecentMemoriesBounds.limit;

/** Bounds and default of the number of results that `similar` returns. */
export const SIMILAR_LIMIT = listSimilarMemoriesBounds.limit;

/** Bounds and default of the number of results of a search. */
export const SEARCH_LIMIT = searchMemoriesBounds.limit;

/** Maximum number of characters in the query of a search. */
export const QUERY_LENGTH = searchMemoriesBounds.query.maxLength;

/** Maximum number of items in a batch, unless the deployment sets another limit. */
export const BATCH_ITEMS = defaultLimits.batchItems;

/** Maximum number of characters in a content, unless the deployment sets another limit. */
export const CONTENT_LENGTH = defaultLimits.contentLength;
