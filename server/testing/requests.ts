import type { OperationId } from '../http/wire.js';

export interface SampleRequest {
  method: string;
  path: string;
  body?: unknown;
}

const UNKNOWN_ID = '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11';

const OUTBOUND = '/api/organization/outbound-webhooks';
const INBOUND = '/api/organization/inbound-webhooks';

/** A request to each operation that nothing is wrong with; what some of them name does not exist. */
export const SAMPLE_REQUESTS: Readonly<Record<OperationId, SampleRequest>> = {
  ingestMemory: { method: 'POST', path: '/api/memories', body: { content: 'a' } },
  upsertMemory: { method: 'PUT', path: '/api/memories', body: { externalKey: 'k', content: 'b' } },
  ingestMemoryBatch: { method: 'POST', path: '/api/memories/batch', body: { items: [{ content: 'c' }] } },
  getMemory: { method: 'GET', path: `/api/memories/${UNKNOWN_ID}` },
  updateMemory: { method: 'PATCH', path: `/api/memories/${UNKNOWN_ID}`, body: { content: 'd' } },
  updateMemoryAlias: { method: 'PUT', path: `/api/memories/${UNKNOWN_ID}`, body: { content: 'd' } },
  deleteMemory: { method: 'DELETE', path: `/api/memories/${UNKNOWN_ID}` },
  exportMemories: { method: 'GET', path: '/api/memories/export' },
  getMemoryStats: { method: 'GET', path: '/api/memories/stats' },
  listMemoryChanges: { method: 'GET', path: '/api/memories/changes?since=2026-01-01' },
  listRecentMemories: { method: 'GET', path: '/api/memories/recent' },
  searchMemories: { method: 'POST', path: '/api/memories/search', body: { query: 'a' } },
  getOrganizationSettings: { method: 'GET', path: '/api/organization/settings' },
  updateOrganizationSettings: { method: 'PATCH', path: '/api/organization/settings', body: { semanticDedupe: true } },
  listAuditEvents: { method: 'GET', path: '/api/organization/audit-events' },
  getUsage: { method: 'GET', path: '/api/organization/usage' },
  createToken: { method: 'POST', path: '/api/organization/tokens', body: { name: 't', abilities: ['memory:search'] } },
  listTokens: { method: 'GET', path: '/api/organization/tokens' },
  revokeToken: { method: 'DELETE', path: `/api/organization/tokens/${UNKNOWN_ID}` },
  listMembers: { method: 'GET', path: '/api/organization/members' },
  updateMember: { method: 'PATCH', path: `/api/organization/members/${UNKNOWN_ID}`, body: { role: 'member' } },
  removeMember: { method: 'DELETE', path: `/api/organization/members/${UNKNOWN_ID}` },
  createInvitation: {
    method: 'POST',
    path: '/api/organization/invitations',
    body: { email: 'ben@example.test', role: 'member' },
  },
  listInvitations: { method: 'GET', path: '/api/organization/invitations' },
  revokeInvitation: { method: 'DELETE', path: `/api/organization/invitations/${UNKNOWN_ID}` },
  acceptInvitation: {
    method: 'POST',
    path: '/api/invitations/accept',
    body: { token: 'x', email: 'ben@example.test', password: 'a long and secret phrase' },
  },
  getInvitationPage: { method: 'GET', path: '/invitations/accept/x' },
  signIn: { method: 'POST', path: '/api/session', body: { email: 'ben@example.test', password: 'x' } },
  signOut: { method: 'DELETE', path: '/api/session' },
  changePassword: {
    method: 'PUT',
    path: '/api/session/password',
    body: { newPassword: 'a long and secret phrase' },
  },
  getSession: { method: 'GET', path: '/api/session' },
  getSubscription: { method: 'GET', path: '/api/organization/subscription' },
  receiveBillingEvent: { method: 'POST', path: '/webhooks/billing', body: {} },
  listInboundWebhooks: { method: 'GET', path: INBOUND },
  createInboundWebhook: { method: 'POST', path: INBOUND, body: { kind: 'codehost', name: 'a' } },
  getInboundWebhook: { method: 'GET', path: `${INBOUND}/${UNKNOWN_ID}` },
  updateInboundWebhook: { method: 'PATCH', path: `${INBOUND}/${UNKNOWN_ID}`, body: { enabled: false } },
  deleteInboundWebhook: { method: 'DELETE', path: `${INBOUND}/${UNKNOWN_ID}` },
  rotateInboundWebhookSecret: { method: 'POST', path: `${INBOUND}/${UNKNOWN_ID}/rotate-secret` },
  listInboundDeliveries: { method: 'GET', path: `${INBOUND}/${UNKNOWN_ID}/deliveries` },
  createOutboundWebhook: {
    method: 'POST',
    path: OUTBOUND,
    body: { url: 'https://example.com/hook', events: ['memory.ingested'] },
  },
  listOutboundWebhooks: { method: 'GET', path: OUTBOUND },
  getOutboundWebhook: { method: 'GET', path: `${OUTBOUND}/${UNKNOWN_ID}` },
  updateOutboundWebhook: { method: 'PATCH', path: `${OUTBOUND}/${UNKNOWN_ID}`, body: { enabled: false } },
  deleteOutboundWebhook: { method: 'DELETE', path: `${OUTBOUND}/${UNKNOWN_ID}` },
  rotateOutboundWebhookSecret: { method: 'POST', path: `${OUTBOUND}/${UNKNOWN_ID}/rotate-secret` },
  listOutboundDeliveries: { method: 'GET', path: `${OUTBOUND}/${UNKNOWN_ID}/deliveries` },
  redeliverOutboundDelivery: {
    method: 'POST',
    path: `${OUTBOUND}/${UNKNOWN_ID}/deliveries/${UNKNOWN_ID}/redeliver`,
  },
  getLiveness: { method: 'GET', path: '/health/live' },
  getReadiness: { method: 'GET', path: '/health/ready' },
  getMetrics: { method: 'GET', path: '/metrics' },
  getContractYaml: { method: 'GET', path: '/openapi.yaml' },
  getContractJson: { method: 'GET', path: '/openapi.json' },
  receiveCodeHostEvent: { method: 'POST', path: `/webhooks/codehost/${UNKNOWN_ID}`, body: {} },
  receiveTrackerEvent: { method: 'POST', path: `/webhooks/tracker/${UNKNOWN_ID}`, body: { type: 'Issue' } },
};
