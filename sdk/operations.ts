import type { Repeat } from './retry.js';

interface Bound {
  /** The method of `MemoryClient` that carries the operation out. */
  method: string;
  repeat: Repeat;
}

/**
 * operationId → the method that carries it out, and when the client may send
 * it again. With `UNBOUND` this holds every operation of openapi.yaml: a new
 * one gets a line here and a method in its resource.
 */
export const OPERATIONS = {
  ingestMemory: { method: 'ingest', repeat: 'always' },
  upsertMemory: { method: 'upsert', repeat: 'always' },
  ingestMemoryBatch: { method: 'ingestBatch', repeat: 'always' },
  importMemories: { method: 'importMemories', repeat: 'always' },
  getMemory: { method: 'get', repeat: 'always' },
  updateMemory: { method: 'update', repeat: 'always' },
  deleteMemory: { method: 'delete', repeat: 'until-gone' },
  restoreMemory: { method: 'restore', repeat: 'always' },
  purgeMemory: { method: 'purge', repeat: 'until-gone' },
  deleteMemories: { method: 'deleteMany', repeat: 'refused' },
  listMemoryVersions: { method: 'versions.list', repeat: 'always' },
  restoreMemoryVersion: { method: 'versions.restore', repeat: 'always' },
  exportMemories: { method: 'export', repeat: 'always' },
  exportMemoryVersions: { method: 'versions.export', repeat: 'always' },
  getMemoryStats: { method: 'stats', repeat: 'always' },
  listMemoryChanges: { method: 'changes', repeat: 'always' },
  listRecentMemories: { method: 'recent', repeat: 'always' },
  searchMemories: { method: 'search', repeat: 'always' },
  listSimilarMemories: { method: 'similar', repeat: 'always' },
  listDocuments: { method: 'documents.list', repeat: 'always' },
  getDocument: { method: 'documents.get', repeat: 'always' },
  deleteDocument: { method: 'documents.delete', repeat: 'refused' },
  createToken: { method: 'tokens.create', repeat: 'refused' },
  listTokens: { method: 'tokens.list', repeat: 'always' },
  revokeToken: { method: 'tokens.revoke', repeat: 'until-gone' },
  listMembers: { method: 'members.list', repeat: 'always' },
  updateMember: { method: 'members.update', repeat: 'always' },
  removeMember: { method: 'members.remove', repeat: 'until-gone' },
  createInvitation: { method: 'invitations.create', repeat: 'refused' },
  listInvitations: { method: 'invitations.list', repeat: 'always' },
  revokeInvitation: { method: 'invitations.revoke', repeat: 'until-gone' },
  acceptInvitation: { method: 'invitations.accept', repeat: 'refused' },
  signIn: { method: 'session.signIn', repeat: 'refused' },
  signOut: { method: 'session.signOut', repeat: 'always' },
  changePassword: { method: 'session.changePassword', repeat: 'refused' },
  getSession: { method: 'session.get', repeat: 'always' },
  getOrganizationSettings: { method: 'settings.get', repeat: 'always' },
  updateOrganizationSettings: { method: 'settings.update', repeat: 'always' },
  eraseSubject: { method: 'subjects.erase', repeat: 'always' },
  getSubjectErasure: { method: 'subjects.erasure', repeat: 'always' },
  listAuditEvents: { method: 'audit.list', repeat: 'always' },
  getUsage: { method: 'usage.get', repeat: 'always' },
  getSubscription: { method: 'subscription.get', repeat: 'always' },
  createInboundWebhook: { method: 'inboundWebhooks.create', repeat: 'refused' },
  listInboundWebhooks: { method: 'inboundWebhooks.list', repeat: 'always' },
  getInboundWebhook: { method: 'inboundWebhooks.get', repeat: 'always' },
  updateInboundWebhook: { method: 'inboundWebhooks.update', repeat: 'always' },
  deleteInboundWebhook: { method: 'inboundWebhooks.delete', repeat: 'until-gone' },
  rotateInboundWebhookSecret: { method: 'inboundWebhooks.rotateSecret', repeat: 'refused' },
  listInboundDeliveries: { method: 'inboundWebhooks.deliveries', repeat: 'always' },
  createOutboundWebhook: { method: 'outboundWebhooks.create', repeat: 'refused' },
  listOutboundWebhooks: { method: 'outboundWebhooks.list', repeat: 'always' },
  getOutboundWebhook: { method: 'outboundWebhooks.get', repeat: 'always' },
  updateOutboundWebhook: { method: 'outboundWebhooks.update', repeat: 'always' },
  deleteOutboundWebhook: { method: 'outboundWebhooks.delete', repeat: 'until-gone' },
  rotateOutboundWebhookSecret: { method: 'outboundWebhooks.rotateSecret', repeat: 'refused' },
  listOutboundDeliveries: { method: 'outboundWebhooks.deliveries', repeat: 'always' },
  redeliverOutboundDelivery: { method: 'outboundWebhooks.redeliver', repeat: 'refused' },
  getLiveness: { method: 'health.live', repeat: 'never' },
  getReadiness: { method: 'health.ready', repeat: 'never' },
} as const satisfies Record<string, Bound>;

export type OperationName = keyof typeof OPERATIONS;

/** operationId → why the client has no method for it. */
export const UNBOUND: Readonly<Record<string, string>> = {
  receiveCodeHostEvent: 'is called by code hosts',
  receiveTrackerEvent: 'is called by issue trackers',
  receiveBillingEvent: 'is called by the billing provider',
  getInvitationPage: 'is a page for people',
  updateMemoryAlias: 'does what updateMemory does',
  getMetrics: 'is for what collects metrics, under a token of the operator',
  getContractYaml: 'is the document that the client is made from; tools fetch it',
  getContractJson: 'is the document that the client is made from; tools fetch it',
};
