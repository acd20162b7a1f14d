import type { Store } from '../../ports/store.js';
import { abandonedContract } from './store-abandoned.contract.js';
import { accountsContract } from './store-accounts.contract.js';
import { auditContract } from './store-audit.contract.js';
import { documentsContract } from './store-documents.contract.js';
import { filtersContract } from './store-filters.contract.js';
import { importsContract } from './store-imports.contract.js';
import { inboundContract } from './store-inbound.contract.js';
import { invitationsContract } from './store-invitations.contract.js';
import { keywordsContract } from './store-keywords.contract.js';
import { listsContract } from './store-lists.contract.js';
import { membersContract } from './store-members.contract.js';
import { modelContract } from './store-model.contract.js';
import { outboundContract } from './store-outbound.contract.js';
import { purgesContract } from './store-purges.contract.js';
import { rankingContract } from './store-ranking.contract.js';
import { renewalContract } from './store-renewal.contract.js';
import { sessionsContract } from './store-sessions.contract.js';
import { statsContract } from './store-stats.contract.js';
import { subscriptionsContract } from './store-subscriptions.contract.js';
import { tokensContract } from './store-tokens.contract.js';
import { transactionsContract } from './store-transactions.contract.js';
import { usageContract } from './store-usage.contract.js';
import { vectorsContract } from './store-vectors.contract.js';
import { versionsContract } from './store-versions.contract.js';
import { writesContract } from './store-writes.contract.js';

/** How a contract suite gets its stores. The adapter's test closes them and removes what they left. */
export interface StoreOpening {
  /** A store with nothing in it, on a clock in microseconds. */
  openEmpty(options?: { now?: () => number }): Promise<Store>;
  /** Closes a store and opens what it stored again. */
  reopen?(store: Store): Promise<Store>;
  /** Rounds of random writes and reads, 60 unless given: a store behind a network takes longer for each. */
  modelRuns?: number;
}

/** What every store must do. Each adapter's test calls this with its own way of opening one. */
export function storeContract(name: string, opening: StoreOpening): void {
  transactionsContract(name, opening);
  writesContract(name, opening);
  versionsContract(name, opening);
  documentsContract(name, opening);
  importsContract(name, opening);
  listsContract(name, opening);
  filtersContract(name, opening);
  statsContract(name, opening);
  vectorsContract(name, opening);
  keywordsContract(name, opening);
  abandonedContract(name, opening);
  accountsContract(name, opening);
  membersContract(name, opening);
  tokensContract(name, opening);
  invitationsContract(name, opening);
  sessionsContract(name, opening);
  outboundContract(name, opening);
  purgesContract(name, opening);
  rankingContract(name, opening);
  auditContract(name, opening);
  usageContract(name, opening);
  subscriptionsContract(name, opening);
  inboundContract(name, opening);
  renewalContract(name, opening);
  modelContract(name, opening);
}
