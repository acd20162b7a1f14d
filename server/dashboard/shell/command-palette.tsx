import { useId, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { usePlace } from '../data/organization.js';
import { Input } from '../kit/controls/field.js';
import { Dialog } from '../kit/feedback/dialog.js';
import styles from './command-palette.module.css';
import { type Page, pathOf } from './page.js';
import { chooseTheme, THEMES, theme } from './theme.js';

interface Command {
  label: string;
  keys?: string;
  run: () => void;
}

interface CommandPaletteProps {
  pages: readonly Page[];
  onClose: () => void;
}

/** Finds a page or an action by its name. */
export function CommandPalette({ pages, onClose }: CommandPaletteProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const found = useCommands(pages).filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()));
  const chosen = Math.min(at, found.length - 1);

  const choose = (index: number) => {
    setAt(index);
    list.current?.children[index]?.scrollIntoView({ block: 'nearest' });
  };
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') choose(Math.min(found.length - 1, chosen + 1));
    else if (event.key === 'ArrowUp') choose(Math.max(0, chosen - 1));
    else if (event.key === 'Enter') run(found[chosen]);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title="Go to" onClose={onClose}>
      <Input
        autofocus
        role="combobox"
        aria-label="Page or action"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
        placeholder="Page or action"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label="Pages and actions" class={styles.list}>
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys act on the field above
          <div
            key={command.label}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            class={styles.command}
            onClick={() => run(command)}
          >
            {command.label}
            {command.keys !== undefined && <kbd>{command.keys}</kbd>}
          </div>
        ))}
      </div>
      <p role="status" class={found.length === 0 ? styles.none : 'visually-hidden'}>
        {found.length === 0 ? 'Nothing has this name.' : `${found.length} found`}
      </p>
    </Dialog>
  );
}

function useCommands(pages: readonly Page[]): Command[] {
  const { organization, session, href } = usePlace();
  const { route } = useLocation();
  return [
    ...pages.map((page) => ({ label: page.title, keys: page.keys, run: () => route(href(pathOf(page))) })),
    ...session.organizations
      .filter(({ id }) => id !== organization.id)
      .map(({ id, name }) => ({ label: `Organization ${name}`, run: () => route(`/o/${id}/overview`) })),
    ...theme.values.map((name) => ({ label: THEMES[name], run: () => chooseTheme(name) })),
  ];
}
