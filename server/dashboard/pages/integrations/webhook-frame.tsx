import type { ComponentChildren } from 'preact';
import { usePlace } from '../../data/organization.js';
import { Menu, type MenuItem } from '../../kit/controls/menu.js';
import { PageHeader } from '../../kit/display/page-header.js';
import styles from './integrations.module.css';

interface WebhookFrameProps {
  title: string;
  /** The name or URL of the webhook. */
  name: string;
  /** The main action. */
  action?: ComponentChildren;
  /** All other actions. */
  items: readonly (MenuItem | false)[];
  children: ComponentChildren;
}

/** The page of one webhook, with its actions. */
export function WebhookFrame({ title, name, action, items, children }: WebhookFrameProps) {
  const { href } = usePlace();
  const shown = items.filter((item) => item !== false);
  return (
    <>
      <a class={styles.back} href={href('/integrations')}>
        All integrations
      </a>
      <PageHeader
        title={title}
        description={<bdi class={styles.long}>{name}</bdi>}
        actions={
          <>
            {action}
            {shown.length > 0 && (
              <Menu
                label="Actions"
                button={
                  <>
                    Actions <span aria-hidden="true">▾</span>
                  </>
                }
                align="end"
                items={shown}
              />
            )}
          </>
        }
      />
      <div class={styles.page}>{children}</div>
    </>
  );
}

/** One line of a list of facts. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
