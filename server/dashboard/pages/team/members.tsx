import type { Member, Role } from '@memory-service/sdk';
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useList } from '../../data/lists.js';
import { usePlace, useWrite } from '../../data/organization.js';
import { forgetAccount } from '../../data/query-client.js';
import { Button } from '../../kit/controls/button.js';
import { Select } from '../../kit/controls/field.js';
import { Badge } from '../../kit/display/badge.js';
import { type Column, Table } from '../../kit/display/table.js';
import { Time } from '../../kit/display/time.js';
import { ConfirmDialog } from '../../kit/feedback/confirm-dialog.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { LoadMore } from '../../kit/feedback/load-more.js';
import { useToast } from '../../kit/feedback/toast.js';
import { ROLE_OPTIONS, roleLabel, roleOf } from './roles.js';
import styles from './team-page.module.css';

interface RoleChange {
  member: Member;
  role: Role;
}

/** The members, with their roles. */
export function Members() {
  const { can, session } = usePlace();
  const { route } = useLocation();
  const queries = useQueryClient();
  const toast = useToast();
  const [leaving, setLeaving] = useState<Member>();
  const [ownChange, setOwnChange] = useState<RoleChange>();
  const members = useList(
    ['members', 'list'],
    (client, position, options) => client.members.list(position, options),
    (page) => page.members,
  );
  const startAnew = () => {
    forgetAccount(queries);
    route('/', true);
  };
  const change = useWrite((client, { member, role }: RoleChange) => client.members.update(member.userId, { role }), {
    subjects: ['members'],
    onDone: (changed, { member }) => {
      const undo = () => change.mutate({ member: changed, role: member.role });
      if (changed.userId !== session.user.id) {
        toast({ text: `${changed.email}: ${roleLabel(changed.role)}`, undo });
      }
    },
  });
  const remove = useWrite((client, { userId }: Member) => client.members.remove(userId), {
    subjects: ['members'],
    onDone: (_, { email }) => toast({ text: `${email} is no longer a member` }),
  });
  const isOwn = (member: Member | undefined) => member?.userId === session.user.id;
  const choose = (member: Member, value: string) => {
    const role = roleOf(value);
    if (role === undefined || role === member.role) return;
    if (isOwn(member)) setOwnChange({ member, role });
    else change.mutate({ member, role });
  };
  const columns: Column<Member>[] = [
    {
      title: 'Member',
      cell: (member) => (
        <div class={styles.member}>
          <bdi>{member.email}</bdi> {isOwn(member) && <Badge tone="accent">You</Badge>}
        </div>
      ),
    },
    {
      title: 'Role',
      cell: (member) =>
        can('updateMember') ? (
          <div class={styles.role}>
            <Select
              // A choice that was refused or not confirmed goes back.
              key={`${member.role} ${change.status} ${ownChange === undefined}`}
              aria-label={`Role of ${member.email}`}
              options={ROLE_OPTIONS}
              value={member.role}
              onChange={(event) => choose(member, event.currentTarget.value)}
            />
          </div>
        ) : (
          roleLabel(member.role)
        ),
    },
    { title: 'Member since', wideOnly: true, cell: ({ joinedAt }) => <Time value={joinedAt} /> },
    {
      title: 'Action',
      align: 'end',
      cell: (member) =>
        can('removeMember') && (
          <Button look="quiet" onClick={() => setLeaving(member)}>
            {isOwn(member) ? 'Leave' : 'Remove'}
            <span class="visually-hidden"> {isOwn(member) ? 'the organization' : member.email}</span>
          </Button>
        ),
    },
  ];
  return (
    <div class={styles.section}>
      {change.error && <FailureNotice error={change.error} />}
      <DataState query={members}>
        {(rows) => (
          <div>
            <Table caption="Members" columns={columns} rows={rows} keyOf={({ userId }) => userId} />
            <LoadMore
              shown={`${rows.length} ${rows.length === 1 ? 'member' : 'members'}`}
              hasMore={members.hasNextPage}
              isLoading={members.isFetchingNextPage}
              onMore={() => void members.fetchNextPage()}
            />
          </div>
        )}
      </DataState>
      {leaving && (
        <ConfirmDialog
          title={isOwn(leaving) ? 'Leave the organization' : 'Remove a member'}
          confirmLabel={isOwn(leaving) ? 'Leave' : 'Remove'}
          onConfirm={async () => {
            await remove.mutateAsync(leaving);
            if (isOwn(leaving)) startAnew();
          }}
          onClose={() => setLeaving(undefined)}
        >
          The keys of <bdi class={styles.strong}>{leaving.email}</bdi> here stop working at once, and a new invitation
          does not restore them. The memories that they stored stay.
        </ConfirmDialog>
      )}
      {ownChange && (
        <ConfirmDialog
          title="Change your own role"
          confirmLabel="Change my role"
          onConfirm={async () => {
            await change.mutateAsync(ownChange);
            startAnew();
          }}
          onClose={() => setOwnChange(undefined)}
        >
          You become “{roleLabel(ownChange.role)}”. Only another owner can make you an owner again.
        </ConfirmDialog>
      )}
    </div>
  );
}
