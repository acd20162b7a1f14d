import type { Facet } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { useRead } from '../../../data/organization.js';
import { Button } from '../../../kit/controls/button.js';
import { Field, Input } from '../../../kit/controls/field.js';
import { MemoryText } from '../../../kit/display/memory-text.js';
import { comparisonsOf } from '../../../kit/filter/conditions.js';
import { numberText } from '../../../kit/text/number-text.js';
import { queryOf } from '../list-query.js';
import { useOldest } from '../memory-list.js';
import {
  conditionsOf,
  type View,
  type ViewControl,
  withCondition,
  withoutComparison,
  withoutCondition,
} from '../view.js';
import styles from './filters.module.css';
import { boundName } from './intervals.js';

const FACETS = [
  { key: 'source', title: 'Source' },
  { key: 'kind', title: 'Kind' },
  { key: 'project', title: 'Project' },
  { key: 'agentId', title: 'Agent' },
] as const;
const FACET_VALUES = 10;

type FilterProps = Pick<ViewControl, 'view' | 'change'>;

/** The conditions of the view, each with a button that drops it. */
export function ActiveFilters({ view, change }: FilterProps) {
  const { filter, since, until, onlyDeleted } = view;
  const conditions = conditionsOf(filter);
  const comparisons = comparisonsOf(filter);
  if (conditions.length + comparisons.length === 0 && since === '' && until === '' && !onlyDeleted) return null;
  return (
    <ul class={styles.active} aria-label="Active filters">
      {conditions.map(({ key, value }) => (
        <Condition
          key={key}
          name={key}
          value={String(value)}
          onDrop={() => change({ filter: withoutCondition(filter, key) })}
        />
      ))}
      {comparisons.map(({ key, words }) => (
        <Condition
          key={`where ${key}`}
          name="where"
          value={words}
          onDrop={() => change({ filter: withoutComparison(filter, key) })}
        />
      ))}
      {(since !== '' || until !== '') && (
        <Condition
          name="time"
          value={`${since === '' ? 'until' : boundName(since)} ${until === '' ? 'and later' : `– ${boundName(until)}`}`}
          onDrop={() => change({ since: '', until: '' })}
        />
      )}
      {onlyDeleted && <Condition name="only" value="deleted" onDrop={() => change({ onlyDeleted: false })} />}
      <li>
        <Button look="quiet" onClick={() => change({ filter: {}, since: '', until: '', onlyDeleted: false })}>
          Clear all
        </Button>
      </li>
    </ul>
  );
}

function Condition({ name, value, onDrop }: { name: string; value: string; onDrop: () => void }) {
  return (
    <li>
      <button type="button" class={styles.condition} onClick={onDrop}>
        <span class={styles.name}>{name}</span>
        <MemoryText oneLine text={value} />
        <span aria-hidden="true">✕</span>
        <span class="visually-hidden"> (drop this filter)</span>
      </button>
    </li>
  );
}

/** Chooses conditions: by the most frequent values of the common keys, by subject, document and dates. */
export function FilterPanel({ view, change }: FilterProps) {
  return (
    <section class={styles.panel} aria-label="Filters">
      {FACETS.map(({ key, title }) => (
        <Chips key={key} facet={key} title={title} view={view} change={change} />
      ))}
      <div class={styles.fields}>
        <ConditionField label="Subject" name="subjectKey" view={view} change={change} />
        <ConditionField label="Document" name="documentId" view={view} change={change} />
        <DateField label="From" value={view.since} onChange={(since) => change({ since })} />
        <DateField label="Before" value={view.until} onChange={(until) => change({ until })} />
      </div>
    </section>
  );
}

function Chips({ facet, title, view, change }: FilterProps & { facet: string; title: string }) {
  const found = useFacet(facet, view);
  if (found === undefined || found.length === 0) return null;
  const chosen = conditionsOf(view.filter).find(({ key }) => key === facet);
  return (
    <div class={styles.facet}>
      <h2 class={styles.title}>{title}</h2>
      <ul class={styles.chips}>
        {found.map(({ value, count }) => {
          const isChosen = chosen !== undefined && chosen.value === value;
          const toggled = isChosen ? withoutCondition(view.filter, facet) : withCondition(view.filter, facet, value);
          return (
            <li key={JSON.stringify(value)}>
              <button
                type="button"
                class={styles.chip}
                aria-pressed={isChosen}
                onClick={() => change({ filter: toggled })}
              >
                <MemoryText oneLine text={String(value)} /> <span class={styles.count}>{numberText(count)}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Counts the values of a key in the view, as if it had no condition on the key. */
function useFacet(facet: string, view: View): Facet | undefined {
  const { data: oldest } = useOldest();
  const scope = { ...view, filter: withoutCondition(view.filter, facet) };
  const { data } = useRead(
    ['counts', 'facet', facet, scope],
    (client, options) => {
      const { sort, direction: _, since = oldest ?? '', ...query } = queryOf(scope);
      return client.browse.count(
        { ...query, since, time: sort, interval: 'month', facet, values: FACET_VALUES },
        options,
      );
    },
    { enabled: oldest !== undefined },
  );
  return data?.values;
}

/** A condition that is typed in. It applies at Enter, and when the field is left. */
function ConditionField({ label, name, view, change }: FilterProps & { label: string; name: string }) {
  const present = conditionsOf(view.filter).find(({ key }) => key === name)?.value;
  const { data: settings } = useRead(['settings'], (client, options) => client.settings.get(options));
  const [failure, setFailure] = useState<string>();
  const apply = (text: string) => {
    const isNumber = name === 'subjectKey' && settings?.subjectKeyType === 'integer';
    setFailure(isNumber && !/^-?\d*$/.test(text) ? 'Subject keys are whole numbers here.' : undefined);
    if (isNumber && !/^-?\d*$/.test(text)) return;
    change({
      filter:
        text === ''
          ? withoutCondition(view.filter, name)
          : withCondition(view.filter, name, isNumber ? Number(text) : text),
    });
  };
  if (name === 'subjectKey' && !settings?.subjectKeyType) return null;
  return (
    <Field label={label} error={failure}>
      {(control) => (
        <Input {...control} value={String(present ?? '')} onChange={(event) => apply(event.currentTarget.value)} />
      )}
    </Field>
  );
}

function DateField({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <Field label={label}>
      {(control) => (
        <Input
          {...control}
          type="date"
          value={value.slice(0, 10)}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value === '' ? '' : `${currentTarget.value}T00:00:00Z`)
          }
        />
      )}
    </Field>
  );
}
