import { usePlace } from '../../data/organization.js';
import { Card } from '../../kit/display/card.js';
import { PageHeader } from '../../kit/display/page-header.js';
import styles from './account-page.module.css';
import { Browser } from './browser.js';
import { Password } from './password.js';
import { Sessions } from './sessions.js';

/** Settings of the user in all organizations, and of this browser. */
export function AccountPage() {
  const { can, session } = usePlace();
  return (
    <>
      <PageHeader
        title="Your account"
        description={
          <>
            You are signed in as <bdi class={styles.strong}>{session.user.email}</bdi>.
          </>
        }
      />
      <div class={styles.page}>
        {can('changePassword') && (
          <Card title="Password">
            <Password email={session.user.email} />
          </Card>
        )}
        {can('listSessions') && (
          <Card title="Where you are signed in">
            <Sessions />
          </Card>
        )}
        <Card title="This browser">
          <Browser />
        </Card>
      </div>
    </>
  );
}
