import type { CreatedInvitation, InvitationRequest, Role } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { useWrite } from '../../data/organization.js';
import { EmailField } from '../../kit/controls/credential-fields.js';
import { Field, Select } from '../../kit/controls/field.js';
import { FormDialog } from '../../kit/feedback/form-dialog.js';
import { ROLE_HINTS, ROLE_OPTIONS, roleOf } from './roles.js';

interface InviteDialogProps {
  onInvited: (invitation: CreatedInvitation) => void;
  onClose: () => void;
}

export function InviteDialog({ onInvited, onClose }: InviteDialogProps) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const invite = useWrite((client, request: InvitationRequest) => client.invitations.create(request), {
    subjects: ['invitations'],
    onDone: onInvited,
  });
  return (
    <FormDialog
      title="Invite a person"
      submitLabel="Invite"
      onSubmit={() => invite.mutateAsync({ email: email.trim(), role })}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}
