import type { Stats } from '@memory-service/sdk';
import { usePlace, useRead } from '../../data/organization.js';
import { CodeBlock } from '../../kit/controls/copy.js';
import { Badge } from '../../kit/display/badge.js';
import { Card, CardGrid } from '../../kit/display/card.js';
import { MemoryText } from '../../kit/display/memory-text.js';
import { Meter } from '../../kit/display/meter.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { Time } from '../../kit/display/time.js';
import { DataState, EmptyState } from '../../kit/feedback/data-state.js';
import styles from './overview-page.module.css';

/** Counting is metered like a search, so it is not repeated at each visit. */
const COUNTED_FOR_MS = 10 * 60_000;
/** Values of a facet that the page lists. */
const LISTED_VALUES = 5;

const FACETS: readonly { name: keyof Stats['facets']; title: string }[] = [
  { name: 'source', title: 'By source' },
  { name: 'kind', title: 'By kind' },
  { name: 'project', title: 'By project' },
];

const STATUSES = {
  ok: { text: 'Working', tone: 'success' },
  degraded: { text: 'Degraded', tone: 'warning' },
  down: { text: 'Not working', tone: 'danger' },
} as const;

const number = new Intl.NumberFormat('en');

export function OverviewPage() {
  const { organization, can } = usePlace();
  const stats = useRead(['memories', 'stats'], (client, options) => client.stats({}, options), {
    staleTimeMs: COUNTED_FOR_MS,
  });
  return (
    <>
      <PageHeader title="Overview" description={`What ${organization.name} stores, and what it uses of its plan.`} />
      <div class={styles.page}>
        <DataState query={stats} empty={{ when: ({ meta }) => meta.total === 0, show: <FirstMemory /> }}>
          {(found) => <Totals stats={found} />}
        </DataState>
        <CardGrid>
          {can('getUsage') && <UsageCard />}
          <ReadinessCard />
        </CardGrid>
      </div>
    </>
  );
}

function FirstMemory() {
  const { can } = usePlace();
  const command = <CodeBlock label="Store a first memory" code={'memory add "Deploys run on Fridays at noon."'} />;
  return (
    <EmptyState title="Nothing is stored yet" action={can('ingestMemory') && command}>
      <p>Memories appear here as soon as a client stores them.</p>
    </EmptyState>
  );
}

function Totals({ stats: { meta, facets } }: { stats: Stats }) {
  const shown = FACETS.filter(({ name }) => (facets[name] ?? []).length > 0);
  return (
    <CardGrid>
      <Card title="Memories">
        <p class={styles.figure}>{number.format(meta.total)}</p>
        <p class={styles.muted}>active memories</p>
      </Card>
      {shown.map(({ name, title }) => (
        <Card key={name} title={title}>
          <dl class={styles.values}>
            {(facets[name] ?? []).slice(0, LISTED_VALUES).map(({ value, count }) => (
              <div key={JSON.stringify(value)} class={styles.value}>
                <dt>
                  <MemoryText text={value === null ? 'none' : String(value)} />
                </dt>
                <dd>{number.format(count)}</dd>
              </div>
            ))}
          </dl>
        </Card>
      ))}
    </CardGrid>
  );
}

function UsageCard() {
  const usage = useRead(['usage'], (client, options) => client.usage.get(options));
  return (
    <Card title="Usage">
      <DataState query={usage}>
        {({ period, ingest, search, storage }) => (
          <div class={styles.meters}>
            <Meter label="Stored this month" {...ingest} />
            <Meter label="Searches this month" {...search} />
            {storage && <Meter label="Storage" {...storage} format={bytes} />}
            <p class={styles.muted}>
              Resets <Time value={period.endsAt} />
            </p>
          </div>
        )}
      </DataState>
    </Card>
  );
}

function ReadinessCard() {
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

function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  return `${Number((count / 1_000 ** power).toPrecision(3))} ${units[power]}`;
}
