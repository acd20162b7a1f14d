import type { Dedupe, Outcome } from '../memory/memory.js';
import type { Microseconds } from '../timestamp.js';
import type { Role } from './role.js';

/** What an audit event can be about. Those of memories come first, those of the organization after them. */
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
  'organization.settings',
  'subscription.update',
  'token.create',
  'token.revoke',
  'member.update',
  'member.remove',
  'invitation.create',
  'invitation.revoke',
  'invitation.accept',
  'inbound_webhook.create',
  'inbound_webhook.update',
  'inbound_webhook.rotate_secret',
  'inbound_webhook.delete',
  'outbound_webhook.create',
  'outbound_webhook.update',
  'outbound_webhook.delete',
  'outbound_webhook.rotate_secret',
  'outbound_webhook.redeliver',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Through which surface it came; `operator` is the shell of the machine. */
export type Source = 'rest' | 'mcp' | 'dashboard' | 'webhook' | 'operator';

/** Who did it: a token (of a user), a user's session, a webhook, or the service itself. */
export interface Actor {
  type: 'user' | 'token' | 'webhook' | 'system';
  id: string;
  userId?: string;
}

/**
 * One successful write, as owners review it (section 2.4). Holds no content,
 * no metadata values and no query text.
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
  /** How many metadata keys the write gave. */
  metadataKeys?: number;
  /** Of a batch. */
  ok?: number;
  failed?: number;
  /** Names of the settings that changed. */
  changed?: string[];
  /** Of a subscription, in the provider's words. */
  status?: string;
  /** The token, user, invitation or webhook that was managed. */
  targetId?: string;
  /** That a member or invitation was given. */
  role?: Role;
  /** That a token was given. */
  abilities?: string[];
}
