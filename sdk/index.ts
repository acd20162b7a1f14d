export type { Answer, ApiCall, PagedCall } from './calls.js';
export { type ChunkOptions, chunkDocument, type DocumentChunk } from './chunk-document.js';
export { type Change, MemoryClient } from './client.js';
export { type Connection, connectionOf } from './environment.js';
export {
  BadRequestError,
  ConflictError,
  EntitlementRequiredError,
  ForbiddenError,
  MemoryApiError,
  MemoryConnectionError,
  MemoryTimeoutError,
  NotFoundError,
  PayloadTooLargeError,
  RateLimitedError,
  UnauthenticatedError,
  UnavailableError,
  UnprocessableError,
  UnreadableAnswerError,
  UnsupportedMediaTypeError,
} from './errors.js';
export type { CursorStore, FollowOptions, FollowQuery } from './follow.js';
export type {
  Acceptance,
  AcceptedInvitation,
  ActiveChange,
  ApiToken,
  AuditAction,
  AuditEvent,
  AuditEventsPage,
  AuditSource,
  BatchFailure,
  BatchItem,
  BatchResponse,
  BatchSuccess,
  ChangesPage,
  CreatedInvitation,
  CreatedToken,
  DailyUsage,
  DailyUsageReport,
  Dedupe,
  DeletedChange,
  DeletedDocument,
  DeletedMemories,
  DeleteMemoriesRequest,
  Document,
  DocumentGap,
  DocumentSummary,
  DocumentsPage,
  ErrorDetail,
  ExportedMemory,
  Facet,
  FacetValue,
  Filter,
  HealthCheck,
  ImportItem,
  ImportResponse,
  ImportSuccess,
  InboundDeliveriesPage,
  InboundDelivery,
  InboundEvent,
  InboundKind,
  InboundWebhook,
  InboundWebhookCreate,
  InboundWebhooksPage,
  InboundWebhookUpdate,
  InboundWebhookWithSecret,
  IngestRequest,
  Invitation,
  InvitationRequest,
  InvitationsPage,
  Liveness,
  Member,
  Membership,
  MembersPage,
  MemberUpdate,
  Memory,
  MemoryVersion,
  MemoryVersionsPage,
  Metadata,
  MeteredUsage,
  Organization,
  OrganizationName,
  OrganizationSettings,
  OrganizationSettingsUpdate,
  OutboundDeliveriesPage,
  OutboundDelivery,
  OutboundEvent,
  OutboundEventName,
  OutboundWebhook,
  OutboundWebhookCreate,
  OutboundWebhooksPage,
  OutboundWebhookUpdate,
  OutboundWebhookWithSecret,
  Outcome,
  PasswordChange,
  Readiness,
  RecentMemories,
  Role,
  Scope,
  SearchMode,
  SearchRequest,
  SearchResponse,
  SearchResult,
  SessionInfo,
  SignInRequest,
  SimilarMemories,
  Stats,
  SubjectErasure,
  SubjectErasureRequest,
  SubjectKey,
  SubscriptionReport,
  TokenRequest,
  TokensPage,
  UpdateRequest,
  UpsertRequest,
  UsageReport,
  WrittenMemory,
} from './generated/types.gen.js';
export type * from './options.js';
export type { AuditResource } from './resources/audit.js';
export type { DocumentsResource } from './resources/documents.js';
export type { HealthResource } from './resources/health.js';
export type { InboundWebhooksResource } from './resources/inbound-webhooks.js';
export type { InvitationsResource } from './resources/invitations.js';
export type { MembersResource } from './resources/members.js';
export type { OrganizationResource } from './resources/organization.js';
export type { OutboundWebhooksResource } from './resources/outbound-webhooks.js';
export type { SessionResource } from './resources/session.js';
export type { SettingsResource } from './resources/settings.js';
export type { SubjectsResource } from './resources/subjects.js';
export type { SubscriptionResource } from './resources/subscription.js';
export type { TokensResource } from './resources/tokens.js';
export type { UsageResource } from './resources/usage.js';
export type { VersionsResource } from './resources/versions.js';
export {
  type ChunkFailure,
  type DocumentInput,
  DocumentSyncError,
  type SyncedDocument,
  syncDocument,
} from './sync-document.js';
export { VERSION } from './version.js';
