import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { type Erasure, FIRST_DIGEST, NOTHING_ERASED } from '../../domain/memory/erasure.js';
import type { SubjectKeyType } from '../../domain/memory/memory.js';
import { parseSubjectKey } from '../../domain/memory/subject-key.js';
import { NotFoundError, UnavailableError } from '../../errors.js';
import { assertOwner, transactAsOwner } from '../access/owner.js';
import { recordAudit } from '../audit/record-audit.js';

/** Erasures of an organization that may run at once. Every write compares its subject with theirs. */
const MAX_RUNNING = 100;
const RETRY_AFTER_SECONDS = 60;

/**
 * Starts to erase everything about a subject. Until it ends, writes about the subject are rejected. If its erasure is
 * already running, that one is returned.
 *
 * @throws {UnprocessableError} for a subject key of another type than that of the organization
 * @throws {UnavailableError} if too many subjects are being erased
 */
export async function requestErasure(
  deps: Pick<Deps, 'store' | 'now' | 'newId'>,
  caller: Caller,
  input: unknown,
): Promise<Erasure> {
  await assertOwner(deps, caller);
  return transactAsOwner(deps, caller, async (unit) => {
    const settings = await unit.settings();
    const subjectKey = parseSubjectKey(input, settings.subjectKeyType ?? typeOf(input));
    const running = await unit.erasures.findRunning(subjectKey);
    if (running) return running;

    const { erasing = [] } = settings;
    if (erasing.length >= MAX_RUNNING) {
      throw new UnavailableError('Too many subjects are being erased: try again', RETRY_AFTER_SECONDS);
    }
    const erasure: Erasure = {
      id: deps.newId(),
      status: 'running',
      subjectKey,
      requestedAt: deps.now(),
      counts: NOTHING_ERASED,
      digest: FIRST_DIGEST,
    };
    await unit.saveSettings({ ...settings, erasing: [...erasing, subjectKey] });
    await unit.erasures.save(erasure);
    const { organizationId } = unit;
    await unit.enqueue({ name: 'erase-subject', data: { organizationId, erasureId: erasure.id } });
    await recordAudit(deps, unit, caller, { action: 'subject.erase', metadata: { targetId: erasure.id } });
    return erasure;
  });
}

/** Accepts a subject key of any type while the organization has no type. Nothing is stored about any subject then. */
function typeOf(input: unknown): SubjectKeyType {
  return typeof input === 'number' ? 'integer' : 'string';
}

/**
 * Returns the progress of an erasure; once it is done, its receipt.
 *
 * @throws {NotFoundError} for unknown, foreign and malformed ids
 */
export async function getErasure(deps: Pick<Deps, 'store'>, caller: Caller, id: string): Promise<Erasure> {
  await assertOwner(deps, caller);
  const erasure = await deps.store.erasures.find(caller.organizationId, id);
  if (!erasure) throw new NotFoundError();
  return erasure;
}
