import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useRef, useState } from 'preact/hooks';
import { Button } from '../controls/button.js';
import styles from './toast.module.css';

interface Toast {
  text: string;
  /** Shows a button that takes the action back. */
  undo?: () => void;
}

/** Long enough to read a sentence. */
const SHOWN_MS = 8_000;
/** Long enough to decide, and to reach the button by keyboard. */
const SHOWN_WITH_UNDO_MS = 20_000;

const ToastContext = createContext<(toast: Toast) => void>(() => undefined);

/** Returns a function that says for some seconds what has happened. */
export function useToast(): (toast: Toast) => void {
  return useContext(ToastContext);
}

/** Shows the latest toast of its children. It stays while the pointer or the focus is on it. */
export function ToastProvider({ children }: { children: ComponentChildren }) {
  const [shown, setShown] = useState<Toast>();
  const timer = useRef(0);
  const hideLater = useCallback(({ undo }: Toast) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setShown(undefined), undo ? SHOWN_WITH_UNDO_MS : SHOWN_MS);
  }, []);
  const keep = () => clearTimeout(timer.current);
  const show = useCallback(
    (toast: Toast) => {
      setShown(toast);
      hideLater(toast);
    },
    [hideLater],
  );
  const undo = () => {
    shown?.undo?.();
    setShown(undefined);
  };
  return (
    <ToastContext.Provider value={show}>
      {children}
      <div class={styles.region} role="status">
        {shown && (
          <div
            class={styles.toast}
            onPointerEnter={keep}
            onPointerLeave={() => hideLater(shown)}
            onFocusIn={keep}
            onFocusOut={() => hideLater(shown)}
          >
            <span>{shown.text}</span>
            {shown.undo && (
              <Button look="quiet" onClick={undo}>
                Undo
              </Button>
            )}
          </div>
        )}
      </div>
    </ToastContext.Provider>
  );
}
