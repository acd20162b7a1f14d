import type { Store } from '../../ports/store.js';
import { accountsSuite } from './accounts/store-accounts.suite.js';
import { auditSuite } from './accounts/store-audit.suite.js';
import { invitationsSuite } from './accounts/store-invitations.suite.js';
import { membersSuite } from './accounts/store-members.suite.js';
import { rewrapSuite } from './accounts/store-rewrap.suite.js';
import { sessionsSuite } from './accounts/store-sessions.suite.js';
import { signInLinksSuite } from './accounts/store-sign-in-links.suite.js';
import { subscriptionsSuite } from './accounts/store-subscriptions.suite.js';
import { tokensSuite } from './accounts/store-tokens.suite.js';
import { usageSuite } from './accounts/store-usage.suite.js';
import { abandonedSuite } from './memories/store-abandoned.suite.js';
import { browsingSuite } from './memories/store-browsing.suite.js';
import { deletionsSuite } from './memories/store-deletions.suite.js';
import { documentsSuite } from './memories/store-documents.suite.js';
import { expirySuite } from './memories/store-expiry.suite.js';
import { importsSuite } from './memories/store-imports.suite.js';
import { listsSuite } from './memories/store-lists.suite.js';
import { purgesSuite } from './memories/store-purges.suite.js';
import { statsSuite } from './memories/store-stats.suite.js';
import { transactionsSuite } from './memories/store-transactions.suite.js';
import { uniquenessSuite } from './memories/store-uniqueness.suite.js';
import { versionsSuite } from './memories/store-versions.suite.js';
import { writesSuite } from './memories/store-writes.suite.js';
import { modelSuite } from './model/store-model.suite.js';
import { chunkContextSuite } from './search/store-chunk-context.suite.js';
import { filtersSuite } from './search/store-filters.suite.js';
import { groupsSuite } from './search/store-groups.suite.js';
import { keywordsSuite } from './search/store-keywords.suite.js';
import { pendingSuite } from './search/store-pending.suite.js';
import { rankingSuite } from './search/store-ranking.suite.js';
import { vectorsSuite } from './search/store-vectors.suite.js';
import { whereSuite } from './search/store-where.suite.js';
import { inboundSuite } from './webhooks/store-inbound.suite.js';
import { outboundSuite } from './webhooks/store-outbound.suite.js';
import { outboundDeliveriesSuite } from './webhooks/store-outbound-deliveries.suite.js';

/** Opens stores for an adapter suite. The adapter's test closes them and deletes their data. */
export interface StoreOpening {
  /** Opens an empty store on a clock in microseconds. */
  openEmpty(options?: { now?: () => number }): Promise<Store>;
  /** Closes a store and opens its data again, on the same clock. */
  reopen?(store: Store): Promise<Store>;
  /** The number of runs of the model suite, 60 by default. A store behind a network takes longer for each. */
  modelRuns?: number;
}

/** Runs the tests that every store must pass. */
export function storeSuite(name: string, opening: StoreOpening): void {
  transactionsSuite(name, opening);
  writesSuite(name, opening);
  expirySuite(name, opening);
  uniquenessSuite(name, opening);
  versionsSuite(name, opening);
  documentsSuite(name, opening);
  groupsSuite(name, opening);
  importsSuite(name, opening);
  listsSuite(name, opening);
  browsingSuite(name, opening);
  filtersSuite(name, opening);
  whereSuite(name, opening);
  statsSuite(name, opening);
  vectorsSuite(name, opening);
  pendingSuite(name, opening);
  keywordsSuite(name, opening);
  chunkContextSuite(name, opening);
  abandonedSuite(name, opening);
  accountsSuite(name, opening);
  membersSuite(name, opening);
  tokensSuite(name, opening);
  invitationsSuite(name, opening);
  deletionsSuite(name, opening);
  sessionsSuite(name, opening);
  signInLinksSuite(name, opening);
  outboundSuite(name, opening);
  outboundDeliveriesSuite(name, opening);
  purgesSuite(name, opening);
  rankingSuite(name, opening);
  auditSuite(name, opening);
  usageSuite(name, opening);
  subscriptionsSuite(name, opening);
  inboundSuite(name, opening);
  rewrapSuite(name, opening);
  modelSuite(name, opening);
}
