import type { Store } from '../../ports/store.js';
import { abandonedSuite } from './store-abandoned.suite.js';
import { accountsSuite } from './store-accounts.suite.js';
import { auditSuite } from './store-audit.suite.js';
import { browsingSuite } from './store-browsing.suite.js';
import { chunkContextSuite } from './store-chunk-context.suite.js';
import { deletionsSuite } from './store-deletions.suite.js';
import { documentsSuite } from './store-documents.suite.js';
import { filtersSuite } from './store-filters.suite.js';
import { groupsSuite } from './store-groups.suite.js';
import { importsSuite } from './store-imports.suite.js';
import { inboundSuite } from './store-inbound.suite.js';
import { invitationsSuite } from './store-invitations.suite.js';
import { keywordsSuite } from './store-keywords.suite.js';
import { listsSuite } from './store-lists.suite.js';
import { membersSuite } from './store-members.suite.js';
import { modelSuite } from './store-model.suite.js';
import { outboundSuite } from './store-outbound.suite.js';
import { outboundDeliveriesSuite } from './store-outbound-deliveries.suite.js';
import { pendingSuite } from './store-pending.suite.js';
import { purgesSuite } from './store-purges.suite.js';
import { rankingSuite } from './store-ranking.suite.js';
import { rewrapSuite } from './store-rewrap.suite.js';
import { sessionsSuite } from './store-sessions.suite.js';
import { signInLinksSuite } from './store-sign-in-links.suite.js';
import { statsSuite } from './store-stats.suite.js';
import { subscriptionsSuite } from './store-subscriptions.suite.js';
import { tokensSuite } from './store-tokens.suite.js';
import { transactionsSuite } from './store-transactions.suite.js';
import { usageSuite } from './store-usage.suite.js';
import { vectorsSuite } from './store-vectors.suite.js';
import { versionsSuite } from './store-versions.suite.js';
import { whereSuite } from './store-where.suite.js';
import { writesSuite } from './store-writes.suite.js';

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
