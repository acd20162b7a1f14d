import type { OrganizationSettings, OrganizationSettingsUpdate } from '@memory-service/sdk';

/** The settings as the form holds them: texts of fields and of choices. */
export interface Draft {
  /** Empty until a type is chosen. */
  subjectKeyType: string;
  semanticDedupe: boolean;
  keptVersions: string;
  deletedMemories: 'kept' | 'purged';
  deletedRetentionDays: string;
}

/** Proposed to somebody who has deleted memories purged for the first time. */
const USUAL_RETENTION_DAYS = 30;

export function draftOf(settings: OrganizationSettings): Draft {
  const { subjectKeyType, semanticDedupe, keptVersions, deletedRetentionDays } = settings;
  return {
    subjectKeyType: subjectKeyType ?? '',
    semanticDedupe,
    keptVersions: String(keptVersions),
    deletedMemories: deletedRetentionDays === null ? 'kept' : 'purged',
    deletedRetentionDays: String(deletedRetentionDays ?? USUAL_RETENTION_DAYS),
  };
}

/** Returns the settings that differ from the stored ones. */
export function changesOf(draft: Draft, stored: OrganizationSettings): OrganizationSettingsUpdate {
  const { semanticDedupe } = draft;
  const subjectKeyType = typeOf(draft.subjectKeyType);
  const keptVersions = Number(draft.keptVersions);
  const deletedRetentionDays = draft.deletedMemories === 'kept' ? null : Number(draft.deletedRetentionDays);
  return {
    ...(subjectKeyType !== undefined && subjectKeyType !== stored.subjectKeyType && { subjectKeyType }),
    ...(semanticDedupe !== stored.semanticDedupe && { semanticDedupe }),
    ...(keptVersions !== stored.keptVersions && { keptVersions }),
    ...(deletedRetentionDays !== stored.deletedRetentionDays && { deletedRetentionDays }),
  };
}

function typeOf(text: string): 'integer' | 'string' | undefined {
  return text === 'integer' || text === 'string' ? text : undefined;
}
