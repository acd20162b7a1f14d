/** Section of the specification → its title. */
const NAMES: Readonly<Record<string, string>> = {
  '1': 'Organizations apart',
  '2.1': 'Records',
  '2.2': 'Content, metadata and keys',
  '2.3': 'Filters',
  '2.4': 'Audit events and registrations',
  '3': 'States, races and what is counted',
  '4': 'Booleans',
  '4.1': 'Ingest',
  '4.2': 'Upsert by key',
  '4.3': 'Batch',
  '4.4': 'Get',
  '4.5': 'Update',
  '4.6': 'Delete',
  '4.7': 'Export',
  '4.8': 'Stats',
  '4.9': 'Changes',
  '4.10': 'Recent',
  '4.11': 'Search',
  '4.12': 'Filters in query strings',
  '4.13': 'Tools',
  '4.14': 'Inbound webhooks',
  '5.1': 'Credentials',
  '5.2': 'Abilities',
  '5.3': 'Which organization',
  '5.4': 'Roles, tokens and invitations',
  '5.5': 'Billing and quotas',
  '6.1': 'Inbound events',
  '6.2': 'Outbound events',
  '7': 'Errors and the content scan',
  '8': 'Limits',
  '9': 'Versions',
};

/** The number of a section, and what it is about. */
export function titleOf(section: string): string {
  const name = NAMES[section];
  return name === undefined ? section : `${section} ${name}`;
}

/** Orders sections by their numbers, part by part. */
export function bySection(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
