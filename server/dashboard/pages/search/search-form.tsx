import { SEARCH_LIMIT, SEARCH_MODES } from '@memory-service/sdk/constants';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Button } from '../../kit/controls/button.js';
import { Checkbox, Field, Input, Select } from '../../kit/controls/field.js';
import { FilterEditor } from '../../kit/filter/filter-editor.js';
import { useShortcuts } from '../../kit/keyboard/shortcuts.js';
import styles from './search-form.module.css';
import { MAX_HALFLIFE_DAYS, MODE_NAMES, type SearchSettings, settingWords } from './settings.js';

interface SearchFormProps {
  settings: SearchSettings;
  isRunning: boolean;
  /** Changes settings while they are edited. */
  onEdit: (part: Partial<SearchSettings>) => void;
  /** Writes the settings into the address. */
  onCommit: (part?: Partial<SearchSettings>) => void;
  onSearch: () => void;
}

const MODES = SEARCH_MODES.map((mode) => ({ value: mode, label: MODE_NAMES[mode] }));

export function SearchForm({ settings, isRunning, onEdit, onCommit, onSearch }: SearchFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useShortcuts([
    {
      keys: '/',
      label: 'Go to the query',
      run: () => form.current?.querySelector<HTMLElement>('[name=query]')?.focus(),
    },
  ]);
  return (
    <search>
      <form
        ref={form}
        class={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isRunning) onSearch();
        }}
      >
        <div class={styles.bar}>
          <Input
            type="search"
            name="query"
            aria-label="Query"
            placeholder="What do you want to know?"
            required
            maxLength={8192}
            value={settings.query}
            onInput={(event) => onEdit({ query: event.currentTarget.value })}
            onChange={() => onCommit()}
          />
          <Select
            aria-label="Mode"
            options={MODES}
            value={settings.mode}
            onChange={(event) => onCommit({ mode: event.currentTarget.value as SearchSettings['mode'] })}
          />
          <Button type="submit" look="primary" busy={isRunning}>
            Search
          </Button>
        </div>
        <details class={styles.settings}>
          <summary>
            <span class={styles.title}>Settings</span> <bdi class={styles.words}>{settingWords(settings)}</bdi>
          </summary>
          <div class={styles.body}>
            <Numbers settings={settings} onEdit={onEdit} onCommit={onCommit} />
            <FilterEditor filter={settings.filter} onChange={(filter) => onCommit({ filter })} />
            <div class={styles.checks}>
              <Checkbox
                label="Exact"
                hint="Compare all memories, even if an approximate index is faster."
                checked={settings.exact}
                disabled={settings.mode === 'keyword'}
                onChange={(event) => onCommit({ exact: event.currentTarget.checked })}
              />
              <Checkbox
                label="Deleted memories too"
                hint="Also find those that can still be restored."
                checked={settings.includeDeleted}
                onChange={(event) => onCommit({ includeDeleted: event.currentTarget.checked })}
              />
            </div>
          </div>
        </details>
      </form>
    </search>
  );
}

function Numbers({ settings, onEdit, onCommit }: Pick<SearchFormProps, 'settings' | 'onEdit' | 'onCommit'>) {
  const { mode, limit, minScore, recencyWeight, recencyHalflifeDays } = settings;
  const slider = (name: 'limit' | 'minScore' | 'recencyWeight') => ({
    value: settings[name],
    onEdit: (value: number) => onEdit({ [name]: value }),
    onCommit: () => onCommit(),
  });
  return (
    <div class={styles.numbers}>
      <Slider
        label="Results"
        shown={`at most ${limit}`}
        min={SEARCH_LIMIT.minimum}
        max={SEARCH_LIMIT.maximum}
        step={1}
        {...slider('limit')}
      />
      <Slider
        label="Minimum similarity"
        shown={mode === 'keyword' ? 'not used by words' : minScore === 0 ? 'none' : String(minScore)}
        min={0}
        max={1}
        step={0.05}
        disabled={mode === 'keyword'}
        {...slider('minScore')}
      />
      <Slider
        label="Weight of recency"
        shown={recencyWeight === 0 ? 'none' : String(recencyWeight)}
        min={0}
        max={1}
        step={0.05}
        {...slider('recencyWeight')}
      />
      <Field label="Half-life of recency" hint="in days">
        {(control) => (
          <Input
            {...control}
            type="number"
            min={0.1}
            max={MAX_HALFLIFE_DAYS}
            step="any"
            disabled={recencyWeight === 0}
            value={recencyHalflifeDays}
            onChange={(event) => {
              const days = event.currentTarget.valueAsNumber;
              if (days > 0 && days <= MAX_HALFLIFE_DAYS) onCommit({ recencyHalflifeDays: days });
            }}
          />
        )}
      </Field>
    </div>
  );
}

interface SliderProps {
  label: string;
  /** The value in words. */
  shown: ComponentChildren;
  value: number;
  min: number;
  max: number;
  step: number;
  disabled?: boolean;
  onEdit: (value: number) => void;
  onCommit: () => void;
}

function Slider({ label, shown, onEdit, onCommit, ...range }: SliderProps) {
  return (
    <Field label={label} hint={shown}>
      {(control) => (
        <input
          {...control}
          {...range}
          type="range"
          class={styles.slider}
          onInput={(event) => onEdit(event.currentTarget.valueAsNumber)}
          onChange={onCommit}
        />
      )}
    </Field>
  );
}
