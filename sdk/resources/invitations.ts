import { acceptInvitation, createInvitation, listInvitations, revokeInvitation } from '../generated/sdk.gen.js';
import type {
  AcceptedInvitation,
  CreatedInvitation,
  Invitation,
  InvitationRequest,
  InvitationsPage,
} from '../generated/types.gen.js';
import type { CallOptions, PageQuery } from '../options.js';
import { type ApiCall, byNextCursor, type PagedCall } from '../transport/calls.js';
import type { Acceptance } from '../transport/requests.js';
import { idOf, nothing, type Transport } from '../transport/transport.js';

/** Invitations to the organization. For owners, except `accept`. */
export class InvitationsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Invites a person by mail. If the service sends no mail, the response contains the link.
   *
   * @example const { link } = await client.invitations.create({ email: 'ana@example.com', role: 'member' });
   */
  create(invitation: InvitationRequest, options: CallOptions = {}): ApiCall<CreatedInvitation> {
    return this.#transport.call('createInvitation', options, (attempt) =>
      createInvitation({ ...attempt, body: invitation }),
    );
  }

  /**
   * Lists the open invitations.
   *
   * @example for await (const { email } of client.invitations.list()) console.log(email);
   */
  list(query: PageQuery = {}, options: CallOptions = {}): PagedCall<InvitationsPage, Invitation> {
    return this.#transport.list(
      byNextCursor(({ invitations }: InvitationsPage) => invitations),
      query,
      (page) =>
        this.#transport.call('listInvitations', options, (attempt) => listInvitations({ ...attempt, query: page })),
    );
  }

  /**
   * Revokes an open invitation.
   *
   * @example await client.invitations.revoke(invitationId);
   */
  revoke(invitationId: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'revokeInvitation',
      options,
      (attempt) => revokeInvitation({ ...attempt, path: { invitationId: idOf(invitationId) } }),
      nothing,
    );
  }

  /**
   * Makes the invitee a member. Requires the token of the link instead of an access token.
   *
   * @example await client.invitations.accept({ token, email: 'ana@example.com', password });
   */
  accept(acceptance: Acceptance, options: CallOptions = {}): ApiCall<AcceptedInvitation> {
    return this.#transport.call('acceptInvitation', options, (attempt) =>
      acceptInvitation({ ...attempt, body: acceptance }),
    );
  }
}
