import { v7 } from 'uuid';
import type { SqliteStore } from '../../adapters/sqlite/sqlite-store.js';
import { FIRST_DIGEST, NOTHING_ERASED } from '../../domain/memory/erasure.js';
import type { Store } from '../../ports/store.js';
import { aMember, anApiToken, anInvitation, aSession, aSignInLink } from '../fixtures/accounts.js';
import { aFullOrganization, deleteFully } from '../fixtures/full-organization.js';
import { anInboundDelivery, anInboundWebhook } from '../inbound/records.js';

export async function useInbound(opened: Store, organizationId: string): Promise<void> {
  const webhook = anInboundWebhook(organizationId);
  const delivery = anInboundDelivery(webhook);
  await opened.transact(organizationId, async ({ inbound }) => {
    await inbound.insertWebhook(webhook);
    await inbound.updateWebhook(webhook);
    await inbound.addRefusals(webhook.id, { count: 1, lastAt: 1, lastReason: 'body' });
    await inbound.findWebhook(webhook.id);
    await inbound.countWebhooks();
    await inbound.insertDelivery(delivery);
    await inbound.rewrapDelivery(delivery.key, 'before', 'after');
    await inbound.findRepeated(webhook.id, delivery.deliveryId, delivery.bodyHash);
    await inbound.hasQueued(webhook.id, 5);
    await inbound.deleteDeliveries(webhook.id, delivery.receivedAt, 5);
    await inbound.deleteDelivery(delivery.key);
  });
  const page = { limit: 9, after: { at: 0, id: '' } };
  await opened.inbound.findWebhook(webhook.id);
  await opened.inbound.listWebhooks(organizationId, page);
  for (const state of [undefined, 'failed'] as const) {
    await opened.inbound.listDeliveries(organizationId, webhook.id, { state, limit: 9 });
    await opened.inbound.listDeliveries(organizationId, webhook.id, { ...page, state });
  }
  await opened.inbound.findDelivery(organizationId, delivery.key);
  await opened.inbound.endDelivery(delivery);
  await opened.transact(organizationId, (unit) => unit.inbound.deleteWebhook(webhook.id));
}

export async function useErasures(opened: Store, organizationId: string, memoryId: string): Promise<void> {
  const erasure = {
    id: 'e',
    status: 'running',
    subjectKey: 1,
    requestedAt: 1,
    counts: NOTHING_ERASED,
    digest: FIRST_DIGEST,
  } as const;
  await opened.versions.list(organizationId, memoryId, { limit: 9, after: { at: 9, id: memoryId } });
  await opened.versions.listAll(organizationId, { limit: 9 });
  await opened.versions.find(organizationId, memoryId, 1);
  await opened.transact(organizationId, (unit) => unit.findLastVersion(memoryId));
  await opened.transact(organizationId, async ({ erasures }) => {
    await erasures.save(erasure);
    await erasures.find(erasure.id);
    await erasures.findRunning(erasure.subjectKey);
    await erasures.countDeliveries(memoryId);
    await erasures.emptyAuditMetadata(memoryId);
    await erasures.removeVersions({ subjectKey: erasure.subjectKey }, 9);
    await erasures.removeVersions({ memoryId }, 9);
  });
  await opened.erasures.find(organizationId, erasure.id);
  await opened.scrub(organizationId);
}

export async function useDeletions(opened: Store): Promise<void> {
  const { organizationId } = await aFullOrganization(opened);
  await deleteFully(opened, organizationId);
  await opened.deletions.list();
}

export async function useJobs(opened: SqliteStore, organizationId: string): Promise<void> {
  const data = { organizationId, deliveryKey: 'd' };
  await opened.transact(organizationId, (unit) => unit.enqueue({ name: 'ingest-delivery', data }));
  const { repository } = opened.jobs;
  const [soon, longAgo] = [new Date(Date.now() + 60_000), new Date(0)];
  const passedOver = { tenants: [organizationId], lanes: ['another/lane'] };
  await repository.getNextJobToRun('ingest-delivery', soon, longAgo, passedOver);
  const job = await repository.getNextJobToRun('ingest-delivery', soon, longAgo);
  await repository.saveJobState(job!, undefined);
  await repository.unlockJob(job!);
  await repository.unlockJobs([job!._id!]);
  await repository.saveJobState({ ...job!, nextRunAt: null, lockedAt: undefined, failCount: 0 }, undefined);
  await opened.jobs.connect();
  await opened.jobs.backlog();
}

export async function useDays(opened: Store, organizationId: string): Promise<void> {
  opened.usage.countDaily(organizationId, '2024-05-01', 'searched');
  await opened.usage.days(organizationId, '2024-05-01');
  await opened.usage.forgetDaysBefore('2024-05-01');
}

export async function useAccounts(opened: Store, organizationId: string): Promise<void> {
  const { accounts } = opened;
  const page = { limit: 9, after: { at: 0, id: '' } };
  const user = await aMember(opened, organizationId);
  const token = anApiToken({ organizationId, userId: user.id });
  const invitation = anInvitation({ organizationId, invitedBy: user.id });
  const organization = { id: v7(), name: 'n', createdAt: 1 };
  await accounts.createOrganization({ organization, owner: user, maxOwned: 9 });
  await accounts.findOrganization(organizationId);
  await accounts.findMembers(organizationId, [user.id]);
  await accounts.findTokens(organizationId, [token.id]);
  await opened.transact(organizationId, async (unit) => {
    await unit.accounts.rename('n');
    await unit.accounts.countOwners();
    await unit.accounts.findMember(user.id);
    await unit.accounts.insertToken(token);
    await unit.accounts.findToken(token.id);
    await unit.accounts.countLiveTokens(user.id, 1);
    await unit.accounts.revokeToken(token.id, 1);
    await unit.accounts.insertInvitation(invitation);
    await unit.accounts.findInvitation(invitation.id);
    await unit.accounts.revokeInvitationsTo(invitation.email, 1);
    await unit.accounts.revokeInvitation(invitation.id, 1);
    await unit.accounts.acceptInvitation(invitation.id, 1);
    await unit.accounts.changeRole(user.id, 'readonly');
    await unit.accounts.removeMember(user.id, 1);
  });
  await accounts.findUserByEmail(user.email);
  await accounts.membershipsOf(user.id);
  await accounts.listMembers(organizationId, page);
  await accounts.listTokens(organizationId, { ...page, userId: user.id });
  await accounts.listTokens(organizationId, { limit: 9 });
  await accounts.listTokens(organizationId, { ...page, userId: user.id, includeRevoked: true });
  await accounts.listTokens(organizationId, { limit: 9, includeRevoked: true });
  await accounts.listInvitations(organizationId, page);
  await accounts.findInvitationByDigest(invitation.digest);
  await accounts.deleteSettledInvitations(1, 9);
  const session = aSession(user.id);
  await accounts.createSession(session, undefined, [{ digest: 'd', at: 1 }]);
  await accounts.findSession(session.digest);
  await accounts.touchSession(session.digest, 1);
  await accounts.exchangePassword(user.id, { from: undefined, to: 'hash' }, session.digest);
  await accounts.listSessions(user.id, { ...page, now: 1, usedAfter: 1 });
  await accounts.deleteSessionOf(user.id, session.id);
  await accounts.deleteSession(session.digest);
  const link = aSignInLink(user.id, { setsPassword: true });
  await accounts.insertSignInLink(link);
  await accounts.findSignInLink(link.digest);
  await accounts.redeemSignInLink(link.digest, { session: aSession(user.id), signInPlaces: [], passwordHash: 'h' });
  await accounts.deleteEndedSignIns(1, 9);
  accounts.noteTokenUse(token.id, 1);
}

export async function useOutbound(opened: Store, organizationId: string): Promise<void> {
  const { outbound } = opened;
  const webhook = {
    id: 'w',
    url: 'https://example.com/',
    events: ['memory.ingested'] as const,
    description: '',
    enabled: true as const,
    sealedSecret: 's',
    createdAt: 1,
    updatedAt: 1,
  };
  const delivery = {
    id: 'd',
    webhookId: 'w',
    event: 'memory.ingested',
    memoryId: 'm',
    body: '{}',
    status: 'pending',
    attempts: 0,
    createdAt: 1,
    attemptLog: [],
  } as const;
  await opened.transact(organizationId, async (unit) => {
    await unit.outbound.insertWebhook(webhook);
    await unit.outbound.updateWebhook(webhook);
    await unit.outbound.webhooks();
    await unit.outbound.insertDeliveries('{}', [delivery]);
    await unit.outbound.updateDelivery({ ...delivery, status: 'failed' });
    await unit.outbound.findDelivery('d');
    await unit.outbound.restartFailed({ webhookId: 'w', since: 1, limit: 9 });
    await unit.outbound.deleteDeliveries(9, 9);
  });
  const after = { at: 1, id: 'x' };
  await outbound.findWebhook(organizationId, 'w');
  await outbound.listWebhooks(organizationId, { limit: 9 });
  await outbound.listWebhooks(organizationId, { limit: 9, after });
  await outbound.findDelivery(organizationId, 'd');
  await outbound.oldestEnded(organizationId);
  await outbound.storeAttempt(organizationId, delivery, delivery);
  for (const status of [undefined, 'pending'] as const) {
    await outbound.listDeliveries(organizationId, { webhookId: 'w', status, limit: 9 });
    await outbound.listDeliveries(organizationId, { webhookId: 'w', status, since: 1, limit: 9, after });
  }
  await opened.transact(organizationId, (unit) => unit.outbound.deleteWebhook('w'));
}
