import type { OperationId } from '../http/contract/wire.js';
import { exportAuditEvents, listAuditEvents } from './audit.js';
import { createBillingPortalLink, getSubscription, receiveBillingEvent } from './billing.js';
import { countMemories, listMemories } from './browse.js';
import { getContractJson, getContractYaml } from './contract.js';
import { deleteDocument, getDocument, listDocuments } from './documents.js';
import { eraseSubject, getSubjectErasure } from './erasures.js';
import { getLiveness, getReadiness } from './health.js';
import {
  createInboundWebhook,
  deleteInboundWebhook,
  getInboundWebhook,
  listInboundDeliveries,
  listInboundWebhooks,
  rotateInboundWebhookSecret,
  updateInboundWebhook,
} from './inbound-webhooks.js';
import {
  acceptInvitation,
  createInvitation,
  getInvitationPage,
  listInvitations,
  revokeInvitation,
} from './invitations.js';
import { listMembers, removeMember, updateMember } from './members.js';
import { getMetrics } from './metrics.js';
import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  getOrganizationSettings,
  updateOrganization,
  updateOrganizationSettings,
} from './organization.js';
import {
  createOutboundWebhook,
  deleteOutboundWebhook,
  getOutboundDelivery,
  getOutboundWebhook,
  listOutboundDeliveries,
  listOutboundWebhooks,
  redeliverOutboundDeliveries,
  redeliverOutboundDelivery,
  rotateOutboundWebhookSecret,
  sendTestEvent,
  updateOutboundWebhook,
} from './outbound-webhooks.js';
import {
  exportMemories,
  getMemory,
  getMemoryStats,
  listMemoryChanges,
  listRecentMemories,
  listSimilarMemories,
  searchMemories,
} from './reads.js';
import {
  changePassword,
  createSignInLink,
  getSession,
  getSignInLink,
  listSessions,
  redeemSignInLink,
  requestPasswordReset,
  resetPassword,
  revokeSession,
  signIn,
  signOut,
} from './session.js';
import { createToken, listTokens, revokeToken } from './tokens.js';
import { getUsage, listDailyUsage } from './usage.js';
import { exportMemoryVersions, listMemoryVersions, restoreMemoryVersion } from './versions.js';
import { receiveCodeHostEvent, receiveTrackerEvent } from './webhooks.js';
import {
  deleteMemories,
  deleteMemory,
  importMemories,
  ingestMemory,
  ingestMemoryBatch,
  purgeMemory,
  restoreMemory,
  updateMemory,
  updateMemoryAlias,
  upsertMemory,
} from './writes.js';

/**
 * Maps each operationId to its route. An operation of openapi.yaml without a route does not compile. A route without
 * an operation fails at start.
 */
export const routes = {
  ingestMemory,
  upsertMemory,
  ingestMemoryBatch,
  importMemories,
  getMemory,
  updateMemory,
  updateMemoryAlias,
  deleteMemory,
  restoreMemory,
  purgeMemory,
  deleteMemories,
  listMemoryVersions,
  restoreMemoryVersion,
  exportMemories,
  exportMemoryVersions,
  getMemoryStats,
  listMemoryChanges,
  listRecentMemories,
  searchMemories,
  listSimilarMemories,
  listDocuments,
  getDocument,
  deleteDocument,
  listMemories,
  countMemories,
  createOrganization,
  getOrganization,
  updateOrganization,
  deleteOrganization,
  getOrganizationSettings,
  updateOrganizationSettings,
  eraseSubject,
  getSubjectErasure,
  listAuditEvents,
  exportAuditEvents,
  getUsage,
  listDailyUsage,
  createToken,
  listTokens,
  revokeToken,
  listMembers,
  updateMember,
  removeMember,
  createInvitation,
  listInvitations,
  revokeInvitation,
  acceptInvitation,
  getInvitationPage,
  signIn,
  getSession,
  getSubscription,
  createBillingPortalLink,
  receiveBillingEvent,
  listInboundWebhooks,
  createInboundWebhook,
  getInboundWebhook,
  updateInboundWebhook,
  deleteInboundWebhook,
  rotateInboundWebhookSecret,
  listInboundDeliveries,
  createOutboundWebhook,
  listOutboundWebhooks,
  getOutboundWebhook,
  updateOutboundWebhook,
  deleteOutboundWebhook,
  rotateOutboundWebhookSecret,
  sendTestEvent,
  redeliverOutboundDeliveries,
  listOutboundDeliveries,
  getOutboundDelivery,
  redeliverOutboundDelivery,
  signOut,
  changePassword,
  requestPasswordReset,
  resetPassword,
  createSignInLink,
  getSignInLink,
  redeemSignInLink,
  listSessions,
  revokeSession,
  getLiveness,
  getReadiness,
  getMetrics,
  getContractYaml,
  getContractJson,
  receiveCodeHostEvent,
  receiveTrackerEvent,
} satisfies Record<OperationId, unknown>;
