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
  inboundEventValues as INBOUND_EVENTS,
  inboundKindValues as INBOUND_KINDS,
  outboundEventNameValues as OUTBOUND_EVENTS,
  roleValues as ROLES,
  searchModeValues as SEARCH_MODES,
} from './generated/constants.gen.js';

/** Types that an organization may choose for its subject keys. */
export const SUBJECT_KEY_TYPES = updateOrganizationSettingsBounds.subjectKeyType.enum;

/** How many versions of each memory an organization may keep. */
export const KEPT_VERSIONS = updateOrganizationSettingsBounds.keptVersions;

/** How many memories, changes or other items a page may have. */
export const PAGE_LIMIT = exportMemoriesBounds.limit;

/** How many memories `recent` may return. */
export const RECENT_LIMIT = listRecentMemoriesBounds.limit;

/** How many results `similar` may return. */
export const SIMILAR_LIMIT = listSimilarMemoriesBounds.limit;

/** How many results a search may return. */
export const SEARCH_LIMIT = searchMemoriesBounds.limit;

/** How many items a batch may have, unless the deployment sets another limit. */
export const BATCH_ITEMS = defaultLimits.batchItems;

/** How many characters a content may have, unless the deployment sets another limit. */
export const CONTENT_LENGTH = defaultLimits.contentLength;
