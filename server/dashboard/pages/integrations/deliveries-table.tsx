import { type Column, KeyTable } from '../../kit/display/table.js';
import { LoadMore } from '../../kit/feedback/load-more.js';

interface DeliveriesTableProps<Delivery> {
  columns: readonly Column<Delivery>[];
  rows: readonly Delivery[];
  selected?: string;
  /** The list that the rows come from. */
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

/** Deliveries of a webhook, newest first, with a button for more. */
export function DeliveriesTable<Delivery extends { id: string }>({
  columns,
  rows,
  selected,
  list,
}: DeliveriesTableProps<Delivery>) {
  return (
    <div>
      <KeyTable
        caption="Deliveries"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        {...(selected && { selected })}
      />
      <LoadMore
        shown={`${rows.length} shown`}
        hasMore={list.hasNextPage}
        isLoading={list.isFetchingNextPage}
        onMore={() => void list.fetchNextPage()}
      />
    </div>
  );
}
