import type { ApiToken } from '@memory-service/sdk';
import { usePlace, useRead } from '../../data/organization.js';
import { Button } from '../../kit/controls/button.js';
import { Badge } from '../../kit/display/badge.js';
import { type Column, Table } from '../../kit/display/table.js';
import { Time } from '../../kit/display/time.js';
import styles from './api-keys-page.module.css';
import { ownAbilities } from './key-abilities.js';

/** Members whose addresses the table shows. Others are shown by their ids. */
const KNOWN_MEMBERS = 500;

interface KeyTableProps {
  rows: readonly ApiToken[];
  /** The user of the page. */
  userId: string;
  /** Absent for those who may not revoke keys. */
  onRevoke: ((token: ApiToken) => void) | undefined;
}

export function KeyTable({ rows, userId, onRevoke }: KeyTableProps) {
  const { can } = usePlace();
  const seesAll = can('listMembers');
  const members = useRead(
    ['members', 'addresses'],
    (client, options) => client.members.list({ limit: KNOWN_MEMBERS }, options),
    { enabled: seesAll },
  );
  const addressOf = (id: string) => members.data?.members.find((member) => member.userId === id)?.email ?? id;
  const person: Column<ApiToken> = {
    title: 'Person',
    wideOnly: true,
    cell: (token) =>
      token.userId === userId ? 'You' : <bdi class={`${styles.person} ${styles.wrap}`}>{addressOf(token.userId)}</bdi>,
  };
  const columns: Column<ApiToken>[] = [
    { title: 'Key', cell: (token) => <Name token={token} /> },
    ...(seesAll ? [person] : []),
    { title: 'Abilities', wideOnly: true, cell: ({ abilities }) => <Abilities abilities={abilities} /> },
    { title: 'Last used', cell: (token) => <LastUse token={token} /> },
    {
      title: 'Expires',
      wideOnly: true,
      cell: ({ expiresAt }) => (expiresAt === undefined ? 'Never' : <Time value={expiresAt} />),
    },
    {
      title: 'Action',
      align: 'end',
      cell: (token) =>
        onRevoke &&
        token.revokedAt === undefined && (
          <Button look="quiet" onClick={() => onRevoke(token)}>
            Revoke
            <span class="visually-hidden"> {token.name}</span>
          </Button>
        ),
    },
  ];
  return <Table caption="API keys" columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

function Name({ token: { name, prefix, lastFour } }: { token: ApiToken }) {
  return (
    <>
      <bdi class={`${styles.name} ${styles.wrap}`}>{name}</bdi>
      <code class={`${styles.ends} ${styles.unbroken}`}>
        {prefix}…{lastFour}
      </code>
    </>
  );
}

function Abilities({ abilities }: { abilities: readonly string[] }) {
  return (
    <ul class={styles.abilities}>
      {ownAbilities(abilities).map((ability) => (
        <li key={ability}>{ability === '*' ? 'all' : <code>{ability}</code>}</li>
      ))}
    </ul>
  );
}

function LastUse({ token: { lastUsedAt, expiresAt, revokedAt, revokedByEmail } }: { token: ApiToken }) {
  if (revokedAt !== undefined) {
    return (
      <>
        <Badge>Revoked</Badge>{' '}
        <span class={styles.ends}>
          <Time value={revokedAt} />
          {revokedByEmail !== undefined && (
            <>
              {' '}
              by <bdi class={styles.wrap}>{revokedByEmail}</bdi>
            </>
          )}
        </span>
      </>
    );
  }
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()) return <Badge tone="warning">Expired</Badge>;
  return lastUsedAt === undefined ? <Badge tone="accent">Not used yet</Badge> : <Time value={lastUsedAt} />;
}
