import type { CreatedInvitation } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { usePlace } from '../../data/organization.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Button } from '../../kit/controls/button.js';
import { CopyField } from '../../kit/controls/copy.js';
import forms from '../../kit/controls/form.module.css';
import { Card } from '../../kit/display/card.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { Time } from '../../kit/display/time.js';
import { useToast } from '../../kit/feedback/toast.js';
import { Invitations } from './invitations.js';
import { InviteDialog } from './invite-dialog.js';
import { Members } from './members.js';
import styles from './team-page.module.css';

/** Who belongs to the organization, and who is invited. */
export function TeamPage() {
  const { can } = usePlace();
  const [dialog, setDialog] = useQueryParam('dialog');
  const [invited, setInvited] = useState<CreatedInvitation>();
  const toast = useToast();
  const onInvited = (invitation: CreatedInvitation) => {
    setDialog('');
    setInvited(invitation.link === undefined ? undefined : invitation);
    if (invitation.sent) toast({ text: `${invitation.email} gets a mail with a link` });
  };
  return (
    <>
      <PageHeader
        title="Team"
        description="Who belongs to the organization, and what they may do."
        actions={
          can('createInvitation') && (
            <Button look="primary" onClick={() => setDialog('invite', { push: true })}>
              Invite a person
            </Button>
          )
        }
      />
      <div class={styles.page}>
        {invited?.link !== undefined && (
          <LinkCard invitation={invited} link={invited.link} onClose={() => setInvited(undefined)} />
        )}
        <Members />
        {can('listInvitations') && <Invitations />}
      </div>
      {dialog === 'invite' && can('createInvitation') && (
        <InviteDialog onInvited={onInvited} onClose={() => setDialog('')} />
      )}
    </>
  );
}

interface LinkCardProps {
  invitation: CreatedInvitation;
  link: string;
  onClose: () => void;
}

/** The link of an invitation that the service could not mail. */
function LinkCard({ invitation: { email, expiresAt }, link, onClose }: LinkCardProps) {
  return (
    <Card title="Pass this link on">
      <div class={forms.form}>
        <p>
          This service sends no mail. Send the link to <bdi class={styles.wrap}>{email}</bdi> yourself. It expires{' '}
          <Time value={expiresAt} />.
        </p>
        <CopyField label="Link of the invitation" value={new URL(link, location.origin).href} once />
        <div>
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Card>
  );
}
