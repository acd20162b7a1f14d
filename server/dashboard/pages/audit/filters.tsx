import { Field, Input, Select } from '../../kit/controls/field.js';
import { ACTIONS } from './actions.js';
import styles from './audit-page.module.css';
import { type FilterState, SOURCES } from './use-filters.js';

/** The conditions of the list. Each that is set can be removed. */
export function Filters({ values, set }: FilterState) {
  const { action, source, actor, memory, from, to } = values;
  const chosen = action === '' ? [] : action.split(',');
  const addable = ACTIONS.filter((one) => !chosen.includes(one));
  const removable = [
    ...chosen.map((one) => ({ text: one, change: { action: chosen.filter((other) => other !== one).join(',') } })),
    ...(actor === '' ? [] : [{ text: `actor ${actor}`, change: { actor: '' } }]),
    ...(memory === '' ? [] : [{ text: `memory ${memory}`, change: { memory: '' } }]),
  ];
  return (
    <section class={styles.filters} aria-label="Filters">
      <div class={styles.fields}>
        <Field label="Action">
          {(control) => (
            <Select
              {...control}
              value=""
              options={[
                { value: '', label: chosen.length === 0 ? 'All actions' : 'Add an action' },
                ...addable.map((value) => ({ value, label: value })),
              ]}
              onChange={({ currentTarget }) => set({ action: [...chosen, currentTarget.value].join(',') })}
            />
          )}
        </Field>
        <Field label="Source">
          {(control) => (
            <Select
              {...control}
              value={source}
              options={[{ value: '', label: 'All sources' }, ...SOURCES.map((value) => ({ value, label: value }))]}
              onChange={({ currentTarget }) => set({ source: currentTarget.value })}
            />
          )}
        </Field>
        <Field label="From">
          {(control) => (
            <Input
              {...control}
              type="date"
              value={from}
              onChange={({ currentTarget }) => set({ from: currentTarget.value })}
            />
          )}
        </Field>
        <Field label="To">
          {(control) => (
            <Input
              {...control}
              type="date"
              value={to}
              onChange={({ currentTarget }) => set({ to: currentTarget.value })}
            />
          )}
        </Field>
      </div>
      {removable.length > 0 && (
        <ul class={styles.chosen}>
          {removable.map(({ text, change }) => (
            <li key={text}>
              <button type="button" class={styles.chip} onClick={() => set(change)}>
                <span class="visually-hidden">Remove the filter </span>
                <bdi>{text}</bdi>
                <span aria-hidden="true">✕</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
