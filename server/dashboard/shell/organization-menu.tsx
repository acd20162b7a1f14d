import { useLocation } from 'preact-iso';
import { usePlace } from '../data/organization.js';
import { Menu } from '../kit/controls/menu.js';
import styles from './organization-menu.module.css';

/** The name of the organization. It is a menu if the user belongs to several. */
export function OrganizationMenu() {
  const { organization, session } = usePlace();
  const { path } = useLocation();
  if (session.organizations.length < 2) return <span class={styles.name}>{organization.name}</span>;
  const section = path.split('/')[3] ?? 'overview';
  return (
    <Menu
      label="Organizations"
      button={
        <>
          <span class="visually-hidden">Organization </span>
          <span class={styles.name}>{organization.name}</span>
          <span aria-hidden="true">▾</span>
        </>
      }
      items={session.organizations.map(({ id, name }) => ({
        label: <bdi>{name}</bdi>,
        href: `/o/${id}/${section}`,
        isChecked: id === organization.id,
      }))}
    />
  );
}
