import type { OrganizationSettings } from '../../domain/account/organization.js';
import type { SubjectKey } from '../../domain/memory/memory.js';
import { UnavailableError } from '../../errors.js';

const RETRY_AFTER_SECONDS = 5;

/**
 * Rejects a write about a subject that is being erased. Call it in the unit of the write, before anything is written,
 * with the subject keys of the memory before and after it.
 *
 * @throws {UnavailableError}
 */
export function assertNotErasing(
  { erasing = [] }: OrganizationSettings,
  ...subjectKeys: readonly (SubjectKey | undefined)[]
): void {
  if (!subjectKeys.some((key) => key !== undefined && erasing.includes(key))) return;
  throw new UnavailableError('This subject is being erased, so nothing was stored: try again', RETRY_AFTER_SECONDS);
}
