import { Resolver } from 'node:dns/promises';
import { DEADLINES, sharedResource } from '../../domain/fairness/bounds.js';
import type { ResourceUse } from '../../domain/fairness/shared-resource.js';
import type { Lookup } from './guarded-connector.js';
import { isLocalhost, readHostsFile } from './hosts-file.js';

/** Timeout of one query to a name server, before it is retried. */
const QUERY_TIMEOUT_MS = 1_000;
const MAX_QUERY_TRIES = 3;

export interface HostResolverOptions {
  /** Addresses of name servers, such as `192.0.2.1:53`. Default: those of the system. */
  servers?: readonly string[];
  timeoutMs?: number;
}

/**
 * Resolves host names with its own DNS queries. The system's resolver blocks one of the process's few threads for each
 * name until its server answers.
 *
 * The hosts file comes first, and `localhost` names are this machine. IPv4 addresses precede IPv6 addresses.
 */
export class HostResolver {
  readonly #lookups = sharedResource('lookups');
  readonly #servers: readonly string[] | undefined;
  readonly #timeoutMs: number;

  constructor({ servers, timeoutMs = DEADLINES.lookupMs }: HostResolverOptions = {}) {
    this.#servers = servers;
    this.#timeoutMs = timeoutMs;
  }

  /** Name of the resource in the metrics. */
  get name(): string {
    return this.#lookups.name;
  }

  get use(): ResourceUse {
    return this.#lookups.use;
  }

  /**
   * Returns every address of a host, or an empty list.
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

  /** Creates a resolver for each query, since cancelling a resolver cancels all of its queries. */
  async #query(name: string, signal: AbortSignal): Promise<string[]> {
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: MAX_QUERY_TRIES });
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

/** True if the name exists but has no address of this family. */
function isEmpty(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENODATA';
}
