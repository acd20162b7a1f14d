import { usePlace, useRead } from '../../../data/organization.js';
import { Time } from '../../../kit/display/time.js';
import { DataState } from '../../../kit/feedback/data-state.js';
import styles from './memory-detail.module.css';

/** Who wrote a memory, and when. */
export function Trail({ id }: { id: string }) {
  const { href } = usePlace();
  const read = useRead(['memory', id, 'audit'], (client, options) => client.audit.list({ memoryId: id }, options));
  const none = <p class={styles.muted}>The audit log has no event of this memory.</p>;
  return (
    <DataState query={read} empty={{ when: ({ auditEvents }) => auditEvents.length === 0, show: none }}>
      {({ auditEvents, nextCursor }) => (
        <ol class={styles.entries}>
          {auditEvents.map(({ id: event, action, actor, source, occurredAt, metadata }) => (
            <li key={event} class={styles.entry}>
              <div class={styles.entryHead}>
                <code>{action}</code>
                <span class={styles.muted}>
                  <Time value={occurredAt} />
                </span>
              </div>
              <p class={styles.muted}>
                <bdi>{actor.email ?? actor.name ?? actor.type}</bdi> · {source}
                {metadata.outcome !== undefined && ` · ${metadata.outcome}`}
              </p>
            </li>
          ))}
          <li>
            <a href={`${href('/audit')}?memory=${id}`}>
              {nextCursor === undefined ? 'Show in the audit log' : 'Older events in the audit log'}
            </a>
          </li>
        </ol>
      )}
    </DataState>
  );
}
