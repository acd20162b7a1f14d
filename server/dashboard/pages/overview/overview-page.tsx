import { usePlace } from '../../data/organization.js';
import { CardGrid } from '../../kit/display/card.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { FirstSteps } from './first-steps.js';
import { MemoriesByDay } from './memories-by-day.js';
import { NewestMemories, useNewest } from './newest-memories.js';
import styles from './overview-page.module.css';
import { ReadinessCard } from './readiness-card.js';
import { ReembeddingCard } from './reembedding-card.js';
import { Totals } from './totals.js';
import { UsageCard } from './usage-card.js';
import { WebhooksCard } from './webhooks-card.js';

/** Shows what the organization stores. All reads of the page are unmetered. */
export function OverviewPage() {
  const { organization, can } = usePlace();
  const newest = useNewest();
  return (
    <>
      <PageHeader
        title="Overview"
        description={
          <>
            What is stored in <bdi>{organization.name}</bdi>, and what it uses.
          </>
        }
      />
      <div class={styles.page}>
        {can('getOrganizationSettings') && <ReembeddingCard />}
        <DataState query={newest} empty={{ when: ({ memories }) => memories.length === 0, show: <FirstSteps /> }}>
          {({ memories }) => (
            <>
              <Totals />
              <MemoriesByDay />
              <NewestMemories memories={memories} />
            </>
          )}
        </DataState>
        <CardGrid>
          {can('getUsage') && <UsageCard />}
          {can('listOutboundDeliveries') && <WebhooksCard />}
          <ReadinessCard />
        </CardGrid>
      </div>
    </>
  );
}
