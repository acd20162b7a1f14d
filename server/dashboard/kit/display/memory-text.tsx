import styles from './memory-text.module.css';
import { splitControls } from './visible-controls.js';

interface MemoryTextProps {
  text: string;
  /** Shows line breaks as spaces, for a preview in a list. */
  oneLine?: boolean;
}

/** Stored text, only as text nodes. Its direction does not reach its surroundings, and its controls are visible. */
export function MemoryText({ text, oneLine = false }: MemoryTextProps) {
  return (
    <bdi class={oneLine ? styles.line : styles.text}>
      {splitControls(text).map((part, at) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span key={at} class={styles.control} title={part.name}>
            {part.symbol}
          </span>
        ),
      )}
    </bdi>
  );
}
