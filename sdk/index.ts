export { MemoryClient } from './client.js';
export { type ChunkOptions, chunkDocument, type DocumentChunk } from './documents/chunk-document.js';
export {
  type ChunkFailure,
  type DocumentInput,
  DocumentSyncError,
  type SyncedDocument,
  syncDocument,
} from './documents/sync-document.js';
export {
  BadRequestError,
  ConflictError,
  EntitlementRequiredError,
  type ErrorCode,
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
  AcceptedInvitation,
  ActiveChange,
  ApiToken,
  AuditAction,
  AuditEvent,
  AuditEventsPage,
  AuditSource,
  BatchFailure,
  BatchResponse,
  BatchSuccess,
  BillingPortalLink,
  BrowsedMemory,
  ChangesPage,
  CountInterval,
  CreatedInvitation,
  CreatedToken,
  DailyUsage,
  DailyUsageReport,
  Dedupe,
  DeletedChange,
  DeletedDocument,
  DeletedMemories,
  Document,
  DocumentGap,
  DocumentSummary,
  DocumentsPage,
  ErrorDetail,
  ExportedMemory,
  Facet,
  FacetValue,
  HealthCheck,
  ImportResponse,
  ImportSuccess,
  InboundDeliveriesPage,
  InboundDelivery,
  InboundEvent,
  InboundKind,
  InboundWebhook,
  InboundWebhooksPage,
  InboundWebhookWithSecret,
  Invitation,
  InvitationRequest,
  InvitationsPage,
  Liveness,
  Member,
  Membership,
  MembersPage,
  MemberUpdate,
  MemoriesPage,
  Memory,
  MemoryBucket,
  MemoryCounts,
  MemoryTime,
  MemoryVersion,
  MemoryVersionsPage,
  Metadata,
  MeteredUsage,
  Organization,
  OrganizationDeletion,
  OrganizationName,
  OrganizationSettings,
  OutboundAttempt,
  OutboundAttemptResult,
  OutboundDeliveriesPage,
  OutboundDelivery,
  OutboundDeliveryDetail,
  OutboundDeliveryEvent,
  OutboundEvent,
  OutboundEventName,
  OutboundWebhook,
  OutboundWebhooksPage,
  OutboundWebhookWithSecret,
  Outcome,
  PasswordReset,
  PasswordResetAnswer,
  PasswordResetRequest,
  Readiness,
  RecentMemories,
  Redelivery,
  Reembedding,
  Role,
  Scope,
  SearchExplanation,
  SearchMode,
  SearchResponse,
  SearchResult,
  Session,
  SessionInfo,
  SessionsPage,
  SignInCode,
  SignInLink,
  SignInLinkPreview,
  SignInRequest,
  SimilarMemories,
  Stats,
  SubjectErasure,
  SubjectErasureRequest,
  SubjectKey,
  SubscriptionReport,
  TokensPage,
  UsageReport,
  WrittenMemory,
} from './generated/types.gen.js';
export type * from './options.js';
export type { AuditResource } from './resources/audit.js';
export type { BrowseResource } from './resources/browse.js';
export type { DocumentsResource } from './resources/documents.js';
export type { HealthResource } from './resources/health.js';
export type { InboundWebhooksResource } from './resources/inbound-webhooks.js';
export type { InvitationsResource } from './resources/invitations.js';
export type { MembersResource } from './resources/members.js';
export type { Change } from './resources/memories.js';
export type { OrganizationResource } from './resources/organization.js';
export type { OutboundWebhooksResource } from './resources/outbound-webhooks.js';
export type { SessionResource } from './resources/session.js';
export type { SettingsResource } from './resources/settings.js';
export type { SubjectsResource } from './resources/subjects.js';
export type { SubscriptionResource } from './resources/subscription.js';
export type { TokensResource } from './resources/tokens.js';
export type { UsageResource } from './resources/usage.js';
export type { VersionsResource } from './resources/versions.js';
export { type BoundMetadata, type InScope, type MemoryScope, ScopeError } from './scope/scope.js';
export type { ScopedChange, ScopedClient } from './scope/scoped-client.js';
export type { SubjectClient, SubjectDocuments } from './scope/subject-client.js';
export type { Answer, ApiCall, PagedCall } from './transport/calls.js';
export { type Connection, connectionOf } from './transport/environment.js';
export type { AttemptReport, Logger, LogLevel } from './transport/logging.js';
export type {
  Acceptance,
  BatchItem,
  DeleteMemoriesRequest,
  Filter,
  FilterOperators,
  ImportItem,
  InboundWebhookCreate,
  InboundWebhookUpdate,
  IngestRequest,
  OrganizationSettingsUpdate,
  OutboundWebhookCreate,
  OutboundWebhookUpdate,
  PasswordChange,
  SearchRequest,
  TokenRequest,
  UpdateRequest,
  UpsertRequest,
} from './transport/requests.js';
export { VERSION } from './version.js';
