import type { Filter } from '@memory-service/sdk';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../controls/button.js';
import { Input, Select } from '../controls/field.js';
import {
  type Condition,
  conditionsOf,
  filterOf,
  filterText,
  NAMED_KEYS,
  typesOf,
  type ValueType,
} from './conditions.js';
import styles from './filter-editor.module.css';

interface FilterEditorProps {
  filter: Filter;
  /** Called when a condition is complete, changed or removed. */
  onChange: (filter: Filter) => void;
  /** True if a title stands above already. */
  hidesTitle?: boolean;
}

interface Row extends Condition {
  id: number;
}

const TYPE_NAMES: Readonly<Record<ValueType, string>> = {
  text: 'text',
  number: 'number',
  boolean: 'true or false',
  null: 'null',
};

/** Edits a filter of the API as a list of conditions. Every condition must match. */
export function FilterEditor({ filter, onChange, hidesTitle = false }: FilterEditorProps) {
  const id = useId();
  const nextId = useRef(0);
  const toRows = (conditions: readonly Condition[]) => conditions.map((one) => ({ ...one, id: nextId.current++ }));
  const [rows, setRows] = useState<readonly Row[]>(() => toRows(conditionsOf(filter)));
  const emitted = useRef(filterText(filter));
  // The address changed otherwise, for example by going back.
  if (filterText(filter) !== emitted.current) {
    emitted.current = filterText(filter);
    setRows(toRows(conditionsOf(filter)));
  }

  const editor = useRef<HTMLFieldSetElement>(null);
  /** The element to focus after the next change of rows: the key of the new row, or the button that adds one. */
  const focusNext = useRef<'key' | 'button'>();
  // Before the next key arrives: an effect runs after the next frame, and keys typed until then would be lost.
  useLayoutEffect(() => {
    const names = { key: 'input[data-key]', button: 'button[data-add]' };
    const found = focusNext.current && editor.current?.querySelectorAll<HTMLElement>(names[focusNext.current]);
    focusNext.current = undefined;
    if (found) found[found.length - 1]?.focus();
  }, [rows.length]);

  const edit = (changed: readonly Row[], isComplete: boolean) => {
    setRows(changed);
    const next = { ...filterOf(changed), ...(filter.where && { where: filter.where }) };
    if (!isComplete || filterText(next) === emitted.current) return;
    emitted.current = filterText(next);
    onChange(next);
  };
  const change = (row: Row, part: Partial<Condition>, isComplete: boolean) =>
    edit(
      rows.map((other) => (other.id === row.id ? withType({ ...row, ...part }) : other)),
      isComplete,
    );

  return (
    <fieldset ref={editor} class={styles.editor}>
      <legend class={hidesTitle ? 'visually-hidden' : styles.legend}>Filter</legend>
      <datalist id={id}>
        {[...NAMED_KEYS, 'externalKey'].map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      {rows.map((row, at) => (
        <div key={row.id} class={styles.row}>
          <Input
            aria-label={`Key of condition ${at + 1}`}
            placeholder="Metadata key"
            list={id}
            data-key
            maxLength={256}
            value={row.key}
            onInput={(event) => change(row, { key: event.currentTarget.value }, false)}
            onChange={() => edit(rows, true)}
          />
          <Select
            aria-label={`Type of condition ${at + 1}`}
            options={typesOf(row.key).map((type) => ({ value: type, label: TYPE_NAMES[type] }))}
            value={row.type}
            onChange={(event) => change(row, { type: event.currentTarget.value as ValueType }, true)}
          />
          <Value row={row} at={at} onChange={(value, isComplete) => change(row, { value }, isComplete)} />
          <Button
            look="quiet"
            aria-label={`Remove condition ${at + 1}`}
            onClick={() => {
              focusNext.current = 'button';
              edit(
                rows.filter((other) => other.id !== row.id),
                true,
              );
            }}
          >
            <span aria-hidden="true">✕</span>
          </Button>
        </div>
      ))}
      <div>
        <Button
          data-add
          onClick={() => {
            focusNext.current = 'key';
            setRows([...rows, ...toRows([{ key: '', type: 'text', value: '' }])]);
          }}
        >
          Add a condition
        </Button>
      </div>
    </fieldset>
  );
}

interface ValueProps {
  row: Row;
  at: number;
  onChange: (value: string, isComplete: boolean) => void;
}

function Value({ row, at, onChange }: ValueProps) {
  const label = `Value of condition ${at + 1}`;
  if (row.type === 'null') return <span class={styles.none}>no value to enter</span>;
  if (row.type === 'boolean') {
    return (
      <Select
        aria-label={label}
        options={[
          { value: 'true', label: 'true' },
          { value: 'false', label: 'false' },
        ]}
        value={row.value === 'true' ? 'true' : 'false'}
        onChange={(event) => onChange(event.currentTarget.value, true)}
      />
    );
  }
  return (
    <Input
      aria-label={label}
      placeholder="Value"
      inputMode={row.type === 'number' ? 'decimal' : 'text'}
      maxLength={1024}
      value={row.value}
      onInput={(event) => onChange(event.currentTarget.value, false)}
      onChange={(event) => onChange(event.currentTarget.value, true)}
    />
  );
}

/** Returns a condition with a type that its key may have. */
function withType(row: Row): Row {
  const types = typesOf(row.key);
  return types.includes(row.type) ? row : { ...row, type: types[0] ?? 'text' };
}
