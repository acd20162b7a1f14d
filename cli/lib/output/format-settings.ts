import type { OrganizationSettings } from '@memory-service/sdk';
import { formatFields } from './table.js';

/** Formats the settings of an organization, with a word for each null. */
export function formatSettings(settings: OrganizationSettings): string {
  return formatFields({
    ...settings,
    subjectKeyType: settings.subjectKeyType ?? 'not chosen',
    deletedRetentionDays: settings.deletedRetentionDays ?? 'never',
  });
}
