import type { MemoryCounts } from '@memory-service/sdk';
import { useRead } from '../../data/organization.js';
import { Card } from '../../kit/display/card.js';
import { MemoryText } from '../../kit/display/memory-text.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { numberText } from '../../kit/text/number-text.js';
import { FACETS } from './facets.js';
import styles from './overview-page.module.css';

/** Imported memories keep their times, but none is older. A count has at most 800 months. */
const BEGINNING = '1990-01-01T00:00:00Z';
/** Counting reads every memory, so it is not repeated at each visit. */
const COUNTED_FOR_MS = 5 * 60_000;
const LISTED_VALUES = 5;

/** The number of active memories, also by each facet. */
export function Totals() {
  const totals = useRead(
    ['memories', 'totals'],
    (client, options) =>
      Promise.all(
        FACETS.map(({ key }) =>
          client.browse.count({ interval: 'month', since: BEGINNING, facet: key, values: LISTED_VALUES }, options),
        ),
      ),
    { staleTimeMs: COUNTED_FOR_MS },
  );
  return <DataState query={totals}>{(counts) => <Counts counts={counts} />}</DataState>;
}

function Counts({ counts }: { counts: readonly MemoryCounts[] }) {
  const facets = FACETS.map((facet, at) => ({ ...facet, values: counts[at]?.values ?? [] }));
  return (
    <div class={styles.totals}>
      <Card title="Memories">
        <p class={styles.figure}>{numberText(counts[0]?.meta.count ?? 0)}</p>
        <p class={styles.muted}>active memories</p>
      </Card>
      {facets
        .filter(({ values }) => values.length > 0)
        .map(({ key, title, values }) => (
          <Card key={key} title={`By ${title.toLowerCase()}`}>
            <dl class={styles.values}>
              {values.map(({ value, count }) => (
                <div key={JSON.stringify(value)} class={styles.value}>
                  <dt>
                    <MemoryText text={String(value)} oneLine />
                  </dt>
                  <dd>{numberText(count)}</dd>
                </div>
              ))}
            </dl>
          </Card>
        ))}
    </div>
  );
}
