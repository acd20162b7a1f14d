import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useRef, useState } from 'preact/hooks';
import { Button } from '../controls/button.js';
import styles from './toast.module.css';

interface Toast {
  text: string;
  /** Shows a button that takes the action back. */
  undo?: () => void;
}

/** Long enough to read a sentence and to reach the button. */
const SHOWN_MS = 8_000;

const ToastContext = createContext<(toast: Toast) => void>(() => undefined);

/** Returns a function that says for some seconds what has happened. */
export function useToast(): (toast: Toast) => void {
  return useContext(ToastContext);
}

/** Shows the latest toast of its children. It stays while the pointer or the focus is on it. */
export function ToastProvider({ children }: { children: ComponentChildren }) {
  const [shown, setShown] = useState<Toast>();
  const timer = useRef(0);
  const hideLater = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setShown(undefined), SHOWN_MS);
  }, []);
  const keep = () => clearTimeout(timer.current);
  const show = useCallback(
    (toast: Toast) => {
      setShown(toast);
      hideLater();
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
            onPointerLeave={hideLater}
            onFocusIn={keep}
            onFocusOut={hideLater}
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
