import { Resolver } from 'node:dns/promises';
import { DEADLINES, sharedResource } from '../../domain/fairness/bounds.js';
import type { ResourceUse } from '../../domain/fairness/shared-resource.js';
import type { Lookup } from './guarded-connector.js';
import { isLocalhost, readHostsFile } from './hosts-file.js';

/** One query of a server, before it is repeated. */
const QUERY_TIMEOUT_MS = 1_000;
const QUERY_TRIES = 3;

export interface HostResolverOptions {
  /** Addresses of name servers, such as `192.0.2.1:53`; the system's unless given. */
  servers?: readonly string[];
  timeoutMs?: number;
}

/**
 * Resolves host names with queries of its own. The system's resolver blocks a thread of the process for each name, for
 * as long as its server does not answer, and the process has few threads.
 *
 * The hosts file comes first, and names of `localhost` are this machine's. IPv4 addresses precede IPv6 addresses.
 */
export class HostResolver {
  readonly #lookups = sharedResource('lookups');
  readonly #servers: readonly string[] | undefined;
  readonly #timeoutMs: number;

  constructor({ servers, timeoutMs = DEADLINES.lookupMs }: HostResolverOptions = {}) {
    this.#servers = servers;
    this.#timeoutMs = timeoutMs;
  }

  /** As metrics name it. */
  get name(): string {
    return this.#lookups.name;
  }

  get use(): ResourceUse {
    return this.#lookups.use;
  }

  /**
   * Returns every address of a host, none if it has none.
   *
   * @throws when no server answers in time, or `signal` is aborted
   */
  async resolve({ host, tenant, signal }: Lookup): Promise<readonly string[]> {
    const name = host.replace(/\.$/, '').toLowerCase();
    const fixed = (await readHostsFile()).get(name);
    if (fixed) return fixed;
    if (isLocalhost(name)) return ['127.0.0.1'];
    using _ = await this.#lookups.wait([{ kind: 'tenant', id: tenant }], 1, signal);
    return await this.#query(name, AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMs)]));
  }

  /** A resolver of its own, since cancelling one cancels all of its queries. */
  async #query(name: string, signal: AbortSignal): Promise<string[]> {
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
    if (this.#servers) resolver.setServers(this.#servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (addresses.length > 0) return addresses;
      for (const answer of answers) {
        if (answer.status === 'rejected' && !isEmpty(answer.reason)) throw answer.reason;
      }
      return [];
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}

/** Whether an error says that the name exists and has no address of the family. */
function isEmpty(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENODATA';
}
