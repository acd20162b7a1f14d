import { usePlace } from '../../data/organization.js';
import { useReadPages } from '../../data/read-pages.js';
import { Button } from '../../kit/controls/button.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { KeyTable } from '../../kit/display/table.js';
import { DataState, EmptyState } from '../../kit/feedback/data-state.js';
import { LoadMore } from '../../kit/feedback/load-more.js';
import styles from './audit-page.module.css';
import { columnsOf } from './columns.js';
import { ExportButtons } from './export-buttons.js';
import { Filters } from './filters.js';
import { queryOf, useFilters } from './use-filters.js';

const PAGE_SIZE = 50;

export function AuditPage() {
  const { can, href } = usePlace();
  const filters = useFilters();
  const { values, isFiltered, set, clear } = filters;
  const events = useReadPages(['audit', values], (client, cursor, options) =>
    client.audit.list({ ...queryOf(values), cursor, limit: PAGE_SIZE }, options),
  );
  return (
    <>
      <PageHeader
        title="Audit"
        description="Every write of a memory and every change to the organization. Contents are not recorded."
        actions={can('exportAuditEvents') && <ExportButtons query={queryOf(values)} />}
      />
      <div class={styles.page}>
        <Filters {...filters} />
        <DataState
          query={events}
          lines={8}
          empty={{
            when: ({ pages }) => pages[0]?.auditEvents.length === 0,
            show: isFiltered ? (
              <EmptyState title="No event matches" action={<Button onClick={clear}>Clear the filters</Button>} />
            ) : (
              <EmptyState title="Nothing was done yet" />
            ),
          }}
        >
          {({ pages }) => {
            const rows = pages.flatMap(({ auditEvents }) => auditEvents);
            return (
              <div>
                <KeyTable
                  caption="Audit events"
                  columns={columnsOf(href, (actorId) => set({ actor: actorId }))}
                  rows={rows}
                  keyOf={({ id }) => id}
                />
                <LoadMore
                  shown={`${rows.length} shown`}
                  hasMore={events.hasNextPage}
                  isLoading={events.isFetchingNextPage}
                  onMore={() => void events.fetchNextPage()}
                />
              </div>
            );
          }}
        </DataState>
      </div>
    </>
  );
}
