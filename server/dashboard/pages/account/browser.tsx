import { useState } from 'preact/hooks';
import { Checkbox, Field, Select } from '../../kit/controls/field.js';
import forms from '../../kit/controls/form.module.css';
import { singleKeys } from '../../kit/keyboard/shortcuts.js';
import { chooseTheme, THEMES, theme } from '../../shell/theme.js';

const OPTIONS = Object.entries(THEMES).map(([value, label]) => ({ value, label }));

/** Choices that this browser remembers. */
export function Browser() {
  const [chosen, setChosen] = useState(theme.get());
  const [keys, setKeys] = useState(singleKeys.get());
  const choose = (value: string) => {
    const name = theme.values.find((known) => known === value);
    if (name === undefined) return;
    chooseTheme(name);
    setChosen(name);
  };
  return (
    <div class={forms.form}>
      <Field label="Colours">
        {(control) => (
          <Select
            {...control}
            options={OPTIONS}
            value={chosen}
            onChange={(event) => choose(event.currentTarget.value)}
          />
        )}
      </Field>
      <Checkbox
        label="Single-key shortcuts"
        hint="Keys such as / and ? act outside of fields. Shortcuts with ⌘ or Ctrl always do."
        checked={keys === 'on'}
        onChange={(event) => {
          singleKeys.set(event.currentTarget.checked ? 'on' : 'off');
          setKeys(singleKeys.get());
        }}
      />
    </div>
  );
}
