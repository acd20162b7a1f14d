import type { Deps } from '../../deps.js';
import { DAY_US, type Microseconds } from '../../domain/timestamp.js';

/** Events that one step deletes: few, so that writes wait a short time. */
const MAX_DELETED_PER_STEP = 200;

/** Deletes the audit events that are older than the operator keeps them. */
export class AuditRetention {
  readonly #deps: Pick<Deps, 'store' | 'now' | 'logger'>;
  readonly #days: number;
  #dueAt: Microseconds = 0;

  /** @param days how long events are kept */
  constructor(deps: Pick<Deps, 'store' | 'now' | 'logger'>, days: number) {
    this.#deps = deps;
    this.#days = days;
  }

  /**
   * Deletes the outdated events of all organizations, at most once a day.
   *
   * @param stopping ends it after the current step
   */
  async run(stopping?: AbortSignal): Promise<void> {
    const { store, now, logger } = this.#deps;
    const startedAt = now();
    if (startedAt < this.#dueAt) return;
    const before = startedAt - this.#days * DAY_US;
    let deleted = 0;
    for (const organizationId of await store.accounts.organizationIds()) {
      deleted += await this.#deleteOf(organizationId, before, stopping);
      if (stopping?.aborted) return;
    }
    this.#dueAt = startedAt + DAY_US;
    if (deleted > 0) logger.info({ deletedCount: deleted }, 'deleted outdated audit events');
  }

  async #deleteOf(organizationId: string, before: Microseconds, stopping: AbortSignal | undefined): Promise<number> {
    for (let deleted = 0; ; ) {
      const count = await this.#deps.store.audit.deleteBefore(organizationId, before, MAX_DELETED_PER_STEP);
      deleted += count;
      if (count < MAX_DELETED_PER_STEP || stopping?.aborted) return deleted;
    }
  }
}
