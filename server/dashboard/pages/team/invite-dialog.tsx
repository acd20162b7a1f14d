import type { CreatedInvitation, InvitationRequest, Role } from '@memory-service/sdk';
import { useId, useState } from 'preact/hooks';
import { useWrite } from '../../data/organization.js';
import { Button } from '../../kit/controls/button.js';
import { EmailField } from '../../kit/controls/credential-fields.js';
import { Field, Select } from '../../kit/controls/field.js';
import { Dialog } from '../../kit/feedback/dialog.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { ROLE_HINTS, ROLE_OPTIONS, roleOf } from './roles.js';
import styles from './team-page.module.css';

interface InviteDialogProps {
  onInvited: (invitation: CreatedInvitation) => void;
  onClose: () => void;
}

export function InviteDialog({ onInvited, onClose }: InviteDialogProps) {
  const id = useId();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const invite = useWrite((client, request: InvitationRequest) => client.invitations.create(request), {
    subjects: ['invitations'],
    onDone: onInvited,
  });
  const submit = (event: Event) => {
    event.preventDefault();
    if (!invite.isPending) invite.mutate({ email: email.trim(), role });
  };
  return (
    <Dialog
      title="Invite a person"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} look="primary" busy={invite.isPending}>
            Invite
          </Button>
        </>
      }
    >
      <form id={id} class={styles.form} onSubmit={submit}>
        <EmailField value={email} onChange={setEmail} isOwn={false} autofocus />
        <Field label="Role" hint={ROLE_HINTS[role]}>
          {(control) => (
            <Select
              {...control}
              options={ROLE_OPTIONS}
              value={role}
              onChange={(event) => setRole(roleOf(event.currentTarget.value) ?? role)}
            />
          )}
        </Field>
        {invite.error && <FailureNotice error={invite.error} />}
      </form>
    </Dialog>
  );
}
