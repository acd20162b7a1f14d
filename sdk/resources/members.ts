import { listMembers, removeMember, updateMember } from '../generated/sdk.gen.js';
import type { Member, MembersPage, MemberUpdate } from '../generated/types.gen.js';
import type { CallOptions, PageQuery } from '../options.js';
import { type ApiCall, byNextCursor, type PagedCall } from '../transport/calls.js';
import { idOf, nothing, type Transport } from '../transport/transport.js';

/** The members of the organization and their roles. */
export class MembersResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists the members.
   *
   * @example for await (const member of client.members.list()) console.log(member.role);
   */
  list(query: PageQuery = {}, options: CallOptions = {}): PagedCall<MembersPage, Member> {
    return this.#transport.list(
      byNextCursor(({ members }: MembersPage) => members),
      query,
      (page) => this.#transport.call('listMembers', options, (attempt) => listMembers({ ...attempt, query: page })),
    );
  }

  /**
   * Changes the role of a member.
   *
   * @throws {ConflictError} if the member is the last owner
   * @example await client.members.update(userId, { role: 'owner' });
   */
  update(userId: string, change: MemberUpdate, options: CallOptions = {}): ApiCall<Member> {
    return this.#transport.call('updateMember', options, (attempt) =>
      updateMember({ ...attempt, path: { userId: idOf(userId) }, body: change }),
    );
  }

  /**
   * Removes a member and revokes their tokens.
   *
   * @throws {ConflictError} if the member is the last owner
   * @example await client.members.remove(userId);
   */
  remove(userId: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'removeMember',
      options,
      (attempt) => removeMember({ ...attempt, path: { userId: idOf(userId) } }),
      nothing,
    );
  }
}
