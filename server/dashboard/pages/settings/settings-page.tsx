import { usePlace, useRead } from '../../data/organization.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { DangerZone } from './danger-zone.js';
import { OrganizationCard } from './organization-card.js';
import { SettingsForm } from './settings-form.js';
import styles from './settings-page.module.css';

/** The settings of the organization, and what cannot be undone. */
export function SettingsPage() {
  const { can } = usePlace();
  const settings = useRead(['settings'], (client, options) => client.settings.get(options));
  return (
    <>
      <PageHeader title="Settings" description="What applies to the whole organization and all its memories." />
      <div class={styles.page}>
        {can('getOrganization') && <OrganizationCard />}
        <DataState query={settings}>{(stored) => <SettingsForm stored={stored} />}</DataState>
        <DangerZone subjectKeyType={settings.data?.subjectKeyType} />
      </div>
    </>
  );
}
