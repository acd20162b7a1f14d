import { type FollowOptions, type FollowQuery, follow } from './follow.js';
import type { SubjectKey } from './generated/types.gen.js';
import type { MemoryClientOptions, RequestOptions } from './options.js';
import { type Change, MemoryOperations } from './resources/memories.js';
import type { MemoryScope } from './scope/scope.js';
import { ScopedClient } from './scope/scoped-client.js';
import { SubjectClient } from './scope/subject-client.js';
import type { ApiCall } from './transport/calls.js';
import { Transport } from './transport/transport.js';

/**
 * Calls one Memory Service with one token.
 *
 * Every method throws a subclass of `MemoryApiError` if the service returns an error status, and a
 * `MemoryConnectionError` if it returns no valid response.
 */
export class MemoryClient extends MemoryOperations {
  readonly #transport: Transport;

  /** @throws {TypeError} if `baseUrl` is missing, or `token` is not a valid header value */
  constructor(options: MemoryClientOptions = {}) {
    const transport = new Transport(options);
    super(transport);
    this.#transport = transport;
  }

  /**
   * Returns a client with some options replaced. Options that are left out stay the same, and so does the session.
   * Another `baseUrl` needs its own `token`.
   *
   * @example const patient = client.withOptions({ maxRetries: 9, timeoutMs: 120_000 });
   */
  withOptions(options: MemoryClientOptions): MemoryClient {
    return new MemoryClient(this.#transport.optionsWith(options));
  }

  /**
   * Sends a request that no method makes, for example to an operation of a newer service. The credential, the timeouts
   * and the retries of the client apply. A method other than GET is only retried if the service states that it did
   * nothing. A JSON response is parsed; any other is returned as text.
   *
   * @throws {TypeError} if the path does not start with a slash
   * @example const page = await client.request('GET', '/api/memories/recent', { query: { limit: 5 } });
   */
  request<T = unknown>(method: string, path: string, options: RequestOptions = {}): ApiCall<T> {
    return this.#transport.request(method, path, options);
  }

  /**
   * Returns a client that only reaches the memories about one subject, such as a user of your application. The
   * organization must have chosen the type of its subject keys. A local first start chooses it.
   *
   * @throws {ScopeError} if the subject key is missing, for example because nobody is signed in
   * @example const user = client.forSubject('user-1');
   */
  forSubject<const Key extends SubjectKey>(subjectKey: Key): SubjectClient<Key> {
    return new SubjectClient(this, subjectKey);
  }

  /**
   * Returns a client that only reaches the memories that have these values.
   *
   * @throws {ScopeError} if a value is missing
   * @example const acme = client.scoped({ subjectKey: 'user-1', project: 'acme' });
   */
  scoped<const Bound extends MemoryScope>(
    scope: Bound & Record<Exclude<keyof Bound, keyof MemoryScope>, never>,
  ): ScopedClient<Bound> {
    return new ScopedClient<Bound>(this, scope);
  }

  /**
   * Yields every change after the saved cursor, and then new changes as they happen, until `signal` aborts. Delivers
   * each change at least once.
   *
   * @throws {MemoryApiError} if the service returns an error that a retry cannot fix
   * @example for await (const change of client.follow({}, { signal })) console.log(change.id, change.change);
   */
  follow(query: FollowQuery = {}, options: FollowOptions = {}): AsyncGenerator<Change, void, undefined> {
    return follow(this, query, options);
  }
}
