import { useRead } from '../../data/organization.js';
import { Badge } from '../../kit/display/badge.js';
import { Card } from '../../kit/display/card.js';
import { DataState } from '../../kit/feedback/data-state.js';
import styles from './overview-page.module.css';

const STATUSES = {
  ok: { text: 'Working', tone: 'success' },
  degraded: { text: 'Degraded', tone: 'warning' },
  down: { text: 'Not working', tone: 'danger' },
} as const;

export function ReadinessCard() {
  const readiness = useRead(['readiness'], (client, options) => client.health.ready(options));
  return (
    <Card title="Service">
      <DataState query={readiness}>
        {({ checks }) => (
          <dl class={styles.values}>
            {Object.entries(checks).map(([name, { status, detail }]) => (
              <div key={name} class={styles.value}>
                <dt>
                  {name === 'store' ? 'Store' : 'Embedding'}
                  {detail !== undefined && <p class={styles.muted}>{detail}</p>}
                </dt>
                <dd>
                  <Badge tone={STATUSES[status].tone}>{STATUSES[status].text}</Badge>
                </dd>
              </div>
            ))}
          </dl>
        )}
      </DataState>
    </Card>
  );
}
