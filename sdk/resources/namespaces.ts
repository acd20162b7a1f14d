import type { Transport } from '../transport/transport.js';
import { AuditResource } from './audit.js';
import { BrowseResource } from './browse.js';
import { DocumentsResource } from './documents.js';
import { HealthResource } from './health.js';
import { InboundWebhooksResource } from './inbound-webhooks.js';
import { InvitationsResource } from './invitations.js';
import { MembersResource } from './members.js';
import { OrganizationResource } from './organization.js';
import { OutboundWebhooksResource } from './outbound-webhooks.js';
import { SessionResource } from './session.js';
import { SettingsResource } from './settings.js';
import { SubjectsResource } from './subjects.js';
import { SubscriptionResource } from './subscription.js';
import { TokensResource } from './tokens.js';
import { UsageResource } from './usage.js';
import { VersionsResource } from './versions.js';

/** The operations on everything but memories, grouped by what they are about. */
export abstract class Namespaces {
  readonly audit: AuditResource;
  readonly browse: BrowseResource;
  readonly documents: DocumentsResource;
  readonly health: HealthResource;
  readonly inboundWebhooks: InboundWebhooksResource;
  readonly invitations: InvitationsResource;
  readonly members: MembersResource;
  readonly organization: OrganizationResource;
  readonly outboundWebhooks: OutboundWebhooksResource;
  readonly session: SessionResource;
  readonly settings: SettingsResource;
  readonly subjects: SubjectsResource;
  readonly subscription: SubscriptionResource;
  readonly tokens: TokensResource;
  readonly usage: UsageResource;
  readonly versions: VersionsResource;

  constructor(transport: Transport) {
    this.audit = new AuditResource(transport);
    this.browse = new BrowseResource(transport);
    this.documents = new DocumentsResource(transport);
    this.health = new HealthResource(transport);
    this.inboundWebhooks = new InboundWebhooksResource(transport);
    this.invitations = new InvitationsResource(transport);
    this.members = new MembersResource(transport);
    this.organization = new OrganizationResource(transport);
    this.outboundWebhooks = new OutboundWebhooksResource(transport);
    this.session = new SessionResource(transport);
    this.settings = new SettingsResource(transport);
    this.subjects = new SubjectsResource(transport);
    this.subscription = new SubscriptionResource(transport);
    this.tokens = new TokensResource(transport);
    this.usage = new UsageResource(transport);
    this.versions = new VersionsResource(transport);
  }
}
