import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { readSettings } from '../organization/settings.js';
import { softDelete } from './soft-delete.js';

/** Memories that one unit of work expires: few, so that other writers wait a short time. */
const MAX_EXPIRED_PER_UNIT = 100;
const EXPIRY = { actor: { type: 'system', id: 'expiry' }, source: 'operator' } as const;

export type ExpireDeps = Pick<Deps, 'store' | 'now' | 'newId'>;

/**
 * Soft-deletes the expired memories of an organization. Every read and write of memories calls it first, so that none
 * of them returns an expired memory. It does not access the store before the first expiry.
 *
 * @param stopping ends it after the current step
 */
export async function expireDue(
  deps: ExpireDeps,
  caller: Pick<Caller, 'organizationId' | 'settings'>,
  stopping?: AbortSignal,
): Promise<void> {
  const { nextExpiry } = caller.settings ?? (await readSettings(deps, caller));
  let isDue = nextExpiry !== undefined && nextExpiry <= deps.now();
  while (isDue && !stopping?.aborted) {
    isDue = await deps.store.transact(caller.organizationId, (unit) => expireSome(deps, unit));
  }
}

/** Reports if more memories are due. */
async function expireSome(deps: ExpireDeps, unit: UnitOfWork): Promise<boolean> {
  const now = deps.now();
  const earliest = await unit.findExpiring(MAX_EXPIRED_PER_UNIT + 1);
  const due = earliest.slice(0, MAX_EXPIRED_PER_UNIT).filter(({ expiresAt = Infinity }) => expiresAt <= now);
  for (const memory of due) await softDelete(deps, unit, EXPIRY, memory, { action: 'memory.expire' });
  const next = earliest[due.length]?.expiresAt;
  const { nextExpiry: _, ...settings } = await unit.settings();
  await unit.saveSettings({ ...settings, ...(next !== undefined && { nextExpiry: next }) });
  return next !== undefined && next <= now;
}
