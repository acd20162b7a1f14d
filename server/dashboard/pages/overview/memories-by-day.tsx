import { usePlace, useRead } from '../../data/organization.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Select } from '../../kit/controls/field.js';
import { Card } from '../../kit/display/card.js';
import { Plot, type Series } from '../../kit/display/plot.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { numberText } from '../../kit/text/number-text.js';
import { FACETS, namesOf } from './facets.js';

const DAYS = 30;
const DAY_MS = 86_400_000;
/** Series that have a colour of their own, besides the one for the rest. */
const SERIES = 5;
/** The choice that shows writes that were merged beside new memories. */
const MERGED = 'merged';

interface Days {
  labels: string[];
  series: Series[];
}

/** New memories of the last days by a facet, or beside the writes that were merged. */
export function MemoriesByDay() {
  const { can } = usePlace();
  const options = [
    ...FACETS.map(({ key, title }) => ({ value: key, label: `By ${title.toLowerCase()}` })),
    ...(can('listDailyUsage') ? [{ value: MERGED, label: 'Stored and merged' }] : []),
  ];
  const [chosen, choose] = useQueryParam('by', 'source');
  const by = options.find(({ value }) => value === chosen)?.value ?? 'source';
  const days = useDays(by);
  return (
    <Card
      title={`Last ${DAYS} days`}
      aside={
        <div>
          <Select
            aria-label="Split by"
            options={options}
            value={by}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          />
        </div>
      }
    >
      <DataState query={days}>
        {({ labels, series }) => (
          <Plot
            title={by === MERGED ? 'Stored and merged writes by day, in UTC' : 'New memories by day, in UTC'}
            kind="bars"
            labels={labels}
            series={series}
            format={numberText}
          />
        )}
      </DataState>
    </Card>
  );
}

function useDays(by: string) {
  return useRead<Days>(['memories', 'by-day', by], async (client, options) => {
    if (by === MERGED) {
      const { days } = await client.usage.days({ limit: DAYS }, options);
      return {
        labels: days.map(({ day }) => labelOf(day)),
        series: [
          { name: 'stored', values: days.map(({ stored }) => stored) },
          { name: 'merged', values: days.map(({ merged }) => merged) },
        ],
      };
    }
    const since = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS);
    const { buckets, values = [] } = await client.browse.count(
      { interval: 'day', since, facet: by, values: SERIES },
      options,
    );
    const named = namesOf(values).map((name, at) => ({
      name,
      values: buckets.map(({ counts }) => counts?.[at] ?? 0),
    }));
    const rest = {
      name: values.length === 0 ? 'new memories' : 'all others',
      values: buckets.map(({ other }) => other ?? 0),
    };
    return {
      labels: buckets.map(({ start }) => labelOf(start)),
      series: values.length === 0 || rest.values.some((count) => count > 0) ? [...named, rest] : named,
    };
  });
}

/** Returns the month and the day, such as "03-31". */
function labelOf(time: string): string {
  return time.slice(5, 10);
}
