import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { OrganizationSettings } from '../../domain/account/organization.js';
import type { SubjectKeyType } from '../../domain/memory/memory.js';
import { ConflictError, UnprocessableError } from '../../errors.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { assertOwner, transactAsOwner } from '../access/owner.js';
import { recordAudit } from '../audit/record-audit.js';

/** Returns the settings of the caller's organization. Reads them only if the caller does not carry them. */
export async function readSettings(
  { store }: Pick<Deps, 'store'>,
  { organizationId, settings: known }: Pick<Caller, 'organizationId' | 'settings'>,
): Promise<OrganizationSettings> {
  if (known) return known;
  const settings = await store.accounts.settings(organizationId);
  if (!settings) throw new Error(`organization ${organizationId} disappeared during a request`);
  return settings;
}

interface SettingsInput {
  subjectKeyType?: SubjectKeyType | undefined;
  semanticDedupe?: boolean | undefined;
  keptVersions?: number | undefined;
  /** If null, deleted memories are kept. */
  deletedRetentionDays?: number | null | undefined;
}

const SETTINGS = [
  'subjectKeyType',
  'semanticDedupe',
  'keptVersions',
  'deletedRetentionDays',
] as const satisfies (keyof SettingsInput)[];

/**
 * Changes settings of the caller's organization (section 2.2).
 *
 * @throws {ConflictError} `subject_key_type_in_use` if memories, also deleted ones, have subject keys of another type
 * @throws {UnprocessableError} if no setting is given
 */
export async function updateSettings(
  deps: Pick<Deps, 'store' | 'now' | 'newId'>,
  caller: Caller,
  input: SettingsInput,
): Promise<OrganizationSettings> {
  await assertOwner(deps, caller);
  if (SETTINGS.every((name) => input[name] === undefined)) {
    throw new UnprocessableError(`Give at least one of ${SETTINGS.join(', ')}`);
  }

  return transactAsOwner(deps, caller, async (unit) => {
    const current = await unit.settings();
    const next = await changeSettings(unit, input);
    await recordAudit(deps, unit, caller, {
      action: 'organization.settings',
      metadata: { changed: changedNames(current, next) },
    });
    return next;
  });
}

/**
 * Changes settings in a unit, which checks them against what it stores at that moment (section 2.2).
 *
 * @throws {ConflictError} `subject_key_type_in_use`
 */
export async function changeSettings(
  unit: UnitOfWork,
  { subjectKeyType, semanticDedupe, keptVersions, deletedRetentionDays }: SettingsInput,
): Promise<OrganizationSettings> {
  const current = await unit.settings();
  if (subjectKeyType !== undefined && subjectKeyType !== current.subjectKeyType && (await unit.anySubjectKey())) {
    throw new ConflictError(
      'subject_key_type_in_use',
      'The subject key type cannot change while memories, including deleted ones, have subject keys',
    );
  }
  const { deletedRetentionDays: days, ...others } = current;
  const retention = deletedRetentionDays === undefined ? days : (deletedRetentionDays ?? undefined);
  const next = {
    ...others,
    ...(subjectKeyType !== undefined && { subjectKeyType }),
    ...(semanticDedupe !== undefined && { semanticDedupe }),
    ...(keptVersions !== undefined && { keptVersions }),
    ...(retention !== undefined && { deletedRetentionDays: retention }),
  };
  await unit.saveSettings(next);
  return next;
}

function changedNames(before: OrganizationSettings, after: OrganizationSettings): string[] {
  return SETTINGS.filter((name) => before[name] !== after[name]);
}
