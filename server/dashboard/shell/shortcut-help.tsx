import { Dialog } from '../kit/feedback/dialog.js';
import { activeShortcuts, singleKeys } from '../kit/keyboard/shortcuts.js';
import styles from './shortcut-help.module.css';

/** Lists the shortcuts of the page that is open. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const isOff = singleKeys.get() === 'off';
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {isOff && <p>Single-key shortcuts are off. Turn them on in the account menu.</p>}
      <dl class={styles.list}>
        {activeShortcuts().map(({ keys, label }) => (
          <div key={keys} class={styles.row}>
            <dt>{label}</dt>
            <dd>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key.replace('mod+', '⌘ / Ctrl ')}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
