import type { AuditAction } from '@memory-service/sdk';

/** A record, so that the type checker finds a missing action. */
const KNOWN: Readonly<Record<AuditAction, true>> = {
  'memory.ingest': true,
  'memory.upsert': true,
  'memory.update': true,
  'memory.delete': true,
  'memory.restore': true,
  'memory.restore_version': true,
  'memory.purge': true,
  'memory.expire': true,
  'memory.batch': true,
  'memory.import': true,
  'subject.erase': true,
  'organization.create': true,
  'organization.update': true,
  'organization.settings': true,
  'subscription.update': true,
  'subscription.portal': true,
  'token.create': true,
  'token.revoke': true,
  'member.update': true,
  'member.remove': true,
  'invitation.create': true,
  'invitation.revoke': true,
  'invitation.accept': true,
  'sign_in_link.create': true,
  'inbound_webhook.create': true,
  'inbound_webhook.update': true,
  'inbound_webhook.rotate_secret': true,
  'inbound_webhook.delete': true,
  'outbound_webhook.create': true,
  'outbound_webhook.update': true,
  'outbound_webhook.rotate_secret': true,
  'outbound_webhook.delete': true,
  'outbound_webhook.redeliver': true,
  'outbound_webhook.test': true,
};

/** The actions that the filter offers, in groups. */
export const ACTIONS: readonly string[] = Object.keys(KNOWN);
