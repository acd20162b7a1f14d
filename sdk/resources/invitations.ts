import { type ApiCall, byNextCursor, type PagedCall } from '../calls.js';
import { acceptInvitation, createInvitation, listInvitations, revokeInvitation } from '../generated/sdk.gen.js';
import type {
  Acceptance,
  AcceptedInvitation,
  CreatedInvitation,
  Invitation,
  InvitationRequest,
  InvitationsPage,
} from '../generated/types.gen.js';
import type { CallOptions, PageQuery } from '../options.js';
import { idOf, nothing, type Transport } from '../transport.js';

/** Who may come into the organization. For owners, but for `accept`. */
export class InvitationsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Invites somebody by mail; the answer holds the link where the service sends none. */
  create(invitation: InvitationRequest, options: CallOptions = {}): ApiCall<CreatedInvitation> {
    return this.#transport.call('createInvitation', options, (attempt) =>
      createInvitation({ ...attempt, body: invitation }),
    );
  }

  /** Those that are open. */
  list(query: PageQuery = {}, options: CallOptions = {}): PagedCall<InvitationsPage, Invitation> {
    return this.#transport.list(
      byNextCursor(({ invitations }: InvitationsPage) => invitations),
      query,
      (page) =>
        this.#transport.call('listInvitations', options, (attempt) => listInvitations({ ...attempt, query: page })),
    );
  }

  /** Takes back what was not accepted yet. */
  revoke(invitationId: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'revokeInvitation',
      options,
      (attempt) => revokeInvitation({ ...attempt, path: { invitationId: idOf(invitationId) } }),
      nothing,
    );
  }

  /** Makes the invitee a member. Needs no token of the service, but that of the link. */
  accept(acceptance: Acceptance, options: CallOptions = {}): ApiCall<AcceptedInvitation> {
    return this.#transport.call('acceptInvitation', options, (attempt) =>
      acceptInvitation({ ...attempt, body: acceptance }),
    );
  }
}
