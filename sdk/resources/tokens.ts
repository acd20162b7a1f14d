import { createToken, listTokens, revokeToken } from '../generated/sdk.gen.js';
import type { ApiToken, CreatedToken, TokensPage } from '../generated/types.gen.js';
import type { CallOptions, TokensQuery } from '../options.js';
import { type ApiCall, byNextCursor, type PagedCall } from '../transport/calls.js';
import type { TokenRequest } from '../transport/requests.js';
import { idOf, nothing, type Transport } from '../transport/transport.js';

/** The access tokens of the organization. Owners see all of them, other members their own. */
export class TokensResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a token. Only this response contains its text.
   *
   * @example const { token } = await client.tokens.create({ name: 'reader', abilities: ['memory:search'] });
   */
  create(token: TokenRequest, options: CallOptions = {}): ApiCall<CreatedToken> {
    return this.#transport.call('createToken', options, (attempt) => createToken({ ...attempt, body: token }));
  }

  /**
   * Lists the tokens, without their texts.
   *
   * @example for await (const { name } of client.tokens.list()) console.log(name);
   */
  list(query: TokensQuery = {}, options: CallOptions = {}): PagedCall<TokensPage, ApiToken> {
    return this.#transport.list(
      byNextCursor(({ tokens }: TokensPage) => tokens),
      query,
      (page) => this.#transport.call('listTokens', options, (attempt) => listTokens({ ...attempt, query: page })),
    );
  }

  /**
   * Revokes a token immediately.
   *
   * @throws {NotFoundError}
   * @example await client.tokens.revoke(tokenId);
   */
  revoke(tokenId: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'revokeToken',
      options,
      (attempt) => revokeToken({ ...attempt, path: { tokenId: idOf(tokenId) } }),
      nothing,
    );
  }
}
