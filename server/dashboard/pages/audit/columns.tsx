import type { AuditEvent } from '@memory-service/sdk';
import { Badge } from '../../kit/display/badge.js';
import type { Column } from '../../kit/display/table.js';
import { Time } from '../../kit/display/time.js';
import styles from './audit-page.module.css';

/**
 * Returns the columns of the audit log.
 *
 * @param onActor shows only the events of an actor
 */
export function columnsOf(href: (path: string) => string, onActor: (actorId: string) => void): Column<AuditEvent>[] {
  return [
    {
      title: 'Action',
      cell: ({ action, metadata: { outcome, ...rest } }) => (
        <div class={styles.event}>
          <span class={styles.action}>
            <code>{action}</code>
            {outcome !== undefined && <Badge>{outcome}</Badge>}
          </span>
          <Details details={rest} />
        </div>
      ),
    },
    {
      title: 'Actor',
      cell: ({ actor, source }) => (
        <div class={styles.who}>
          <button
            type="button"
            class={styles.actor}
            title="Show only the events of this actor"
            onClick={() => onActor(actor.id)}
          >
            <bdi>{actor.email ?? actor.name ?? actor.id}</bdi>
          </button>
          <p class={styles.muted}>
            {actor.type}
            {actor.email !== undefined && actor.name !== undefined && (
              <>
                {' '}
                <bdi>{actor.name}</bdi>
              </>
            )}
            , {source}
          </p>
        </div>
      ),
    },
    {
      title: 'Memory and request',
      cell: ({ memoryId, requestId }) => (
        <div class={styles.ids}>
          {memoryId !== undefined && (
            <a href={href(`/memories/${memoryId}`)}>
              <code>{memoryId}</code>
            </a>
          )}
          {requestId !== undefined && <code class={styles.muted}>{requestId}</code>}
        </div>
      ),
      wideOnly: true,
    },
    { title: 'Time', align: 'end', cell: ({ occurredAt }) => <Time value={occurredAt} /> },
  ];
}

/** The details of an event besides its outcome. Values are names, counts and ids, never contents. */
function Details({ details }: { details: Record<string, unknown> }) {
  const known = Object.entries(details).filter(([, value]) => value !== undefined);
  if (known.length === 0) return null;
  return (
    <bdi class={styles.muted}>
      {known.map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`).join(' · ')}
    </bdi>
  );
}
