import type { Dedupe, Outcome } from '../memory/memory.js';
import type { Microseconds } from '../timestamp.js';
import type { Role } from './role.js';

/** Actions that audit events record: those of memories, then those of the organization. */
export const AUDIT_ACTIONS = [
  'memory.ingest',
  'memory.upsert',
  'memory.update',
  'memory.delete',
  'memory.restore',
  'memory.purge',
  'memory.expire',
  'memory.batch',
  'memory.restore_version',
  'subject.erase',
  'memory.import',
  'organization.create',
  'organization.update',
  'organization.settings',
  'subscription.update',
  'subscription.portal',
  'token.create',
  'token.revoke',
  'member.update',
  'member.remove',
  'invitation.create',
  'invitation.revoke',
  'invitation.accept',
  'sign_in_link.create',
  'inbound_webhook.create',
  'inbound_webhook.update',
  'inbound_webhook.rotate_secret',
  'inbound_webhook.delete',
  'outbound_webhook.create',
  'outbound_webhook.update',
  'outbound_webhook.delete',
  'outbound_webhook.rotate_secret',
  'outbound_webhook.redeliver',
  'outbound_webhook.test',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Surfaces through which requests come; `operator` is the shell of the machine. */
export const SOURCES = ['rest', 'mcp', 'dashboard', 'webhook', 'operator'] as const;

export type Source = (typeof SOURCES)[number];

/** Who acted: a token of a user, a user's session, a webhook, or the service itself. */
export interface Actor {
  type: 'user' | 'token' | 'webhook' | 'system';
  id: string;
  userId?: string;
}

/**
 * Record of one successful write, for owners to review (section 2.4). Contains no content, metadata values or query
 * text.
 */
export interface AuditEvent {
  /** UUID. */
  id: string;
  occurredAt: Microseconds;
  action: AuditAction;
  actor: Actor;
  memoryId?: string;
  requestId?: string;
  /** Shared by the events of one batch. */
  batchId?: string;
  source: Source;
  ip?: string;
  userAgent?: string;
  metadata: AuditMetadata;
}

export interface AuditMetadata {
  outcome?: Outcome;
  dedupe?: Dedupe;
  /** Unicode code points. */
  contentLength?: number;
  /** Number of metadata keys in the write. */
  metadataKeys?: number;
  /** Number of items of a batch that succeeded; `failed` is the number of the others. */
  ok?: number;
  failed?: number;
  /** Names of the settings that changed. */
  changed?: string[];
  /** Status of a subscription, in the provider's words. */
  status?: string;
  /** Id of the token, user, invitation or webhook that was changed. */
  targetId?: string;
  /** Role that a member or invitation received. */
  role?: Role;
  /** Abilities that a token received. */
  abilities?: string[];
}
