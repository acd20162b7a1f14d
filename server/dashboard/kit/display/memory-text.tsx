import { splitMarks } from './marks.js';
import styles from './memory-text.module.css';
import { splitControls } from './visible-controls.js';

interface MemoryTextProps {
  text: string;
  /** Shows line breaks as spaces, for a preview in a list. */
  oneLine?: boolean;
  /** Words of the text that are marked. */
  marked?: readonly string[];
}

/** Stored text, only as text nodes. Its direction does not reach its surroundings, and its controls are visible. */
export function MemoryText({ text, oneLine = false, marked = [] }: MemoryTextProps) {
  const pieces = splitMarks(text, marked).map((piece, at) =>
    piece.isMarked ? (
      <mark key={at} class={styles.mark}>
        {visible(piece.text)}
      </mark>
    ) : (
      visible(piece.text)
    ),
  );
  return <bdi class={oneLine ? styles.line : styles.text}>{pieces}</bdi>;
}

/** Stored text within a line of other text, like `MemoryText`. */
export function InlineText({ text, class: name }: { text: string; class?: string | undefined }) {
  return <bdi class={name}>{visible(text)}</bdi>;
}

/** Text whose control characters are visible. */
function visible(text: string) {
  return splitControls(text).map((part, at) =>
    typeof part === 'string' ? (
      part
    ) : (
      <span key={at} class={styles.control} title={part.name}>
        {part.symbol}
      </span>
    ),
  );
}
