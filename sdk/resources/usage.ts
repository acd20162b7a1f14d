import { getUsage, listDailyUsage } from '../generated/sdk.gen.js';
import type { DailyUsageReport, UsageReport } from '../generated/types.gen.js';
import type { CallOptions, DailyUsageQuery } from '../options.js';
import type { ApiCall } from '../transport/calls.js';
import type { Transport } from '../transport/transport.js';

/** The usage of the organization, against the caps of its plan. */
export class UsageResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Returns the usage of the current period.
   *
   * @example const { search } = await client.usage.get();
   */
  get(options: CallOptions = {}): ApiCall<UsageReport> {
    return this.#transport.call('getUsage', options, getUsage);
  }

  /**
   * Returns the usage of each of the last days, oldest first.
   *
   * @example const { days } = await client.usage.days({ limit: 7 });
   */
  days(query: DailyUsageQuery = {}, options: CallOptions = {}): ApiCall<DailyUsageReport> {
    return this.#transport.call('listDailyUsage', options, (attempt) => listDailyUsage({ ...attempt, query }));
  }
}
