import { countMemories, listMemories } from '../generated/sdk.gen.js';
import type { BrowsedMemory, MemoriesPage, MemoryCounts } from '../generated/types.gen.js';
import type { BrowseQuery, CallOptions, CountQuery } from '../options.js';
import { type ApiCall, byNextCursor, type PagedCall } from '../transport/calls.js';
import { type Transport, timeOf } from '../transport/transport.js';

/** Unmetered reads for people who browse. They need a session: see `session.signIn`. */
export class BrowseResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists memories, newest first unless requested otherwise.
   *
   * @example const { memories } = await client.browse.list({ sort: 'updatedAt', preview: 200 });
   */
  list(query: BrowseQuery = {}, options: CallOptions = {}): PagedCall<MemoriesPage, BrowsedMemory> {
    return this.#transport.list(
      byNextCursor(({ memories }: MemoriesPage) => memories),
      query,
      ({ since, until, ...rest }) => {
        const sent = { ...rest, since: timeOf(since), until: timeOf(until) };
        return this.#transport.call('listMemories', options, (attempt) => listMemories({ ...attempt, query: sent }));
      },
    );
  }

  /**
   * Counts memories by hour, day or month, and by the values of a metadata key.
   *
   * @example const { buckets } = await client.browse.count({ interval: 'day', since: '2026-01-01' });
   */
  count({ since, until, ...rest }: CountQuery, options: CallOptions = {}): ApiCall<MemoryCounts> {
    const query = { ...rest, since: timeOf(since), until: timeOf(until) };
    return this.#transport.call('countMemories', options, (attempt) => countMemories({ ...attempt, query }));
  }
}
