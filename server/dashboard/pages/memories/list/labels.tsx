import type { Memory } from '@memory-service/sdk';
import { InlineText } from '../../../kit/display/memory-text.js';
import styles from './labels.module.css';

/** Metadata keys that a row shows. */
const MAX_KEYS = 4;
/** Characters that are shown of a key and of a value. */
const MAX_KEY_LENGTH = 20;
const MAX_VALUE_LENGTH = 30;

/** The subject, the key and the first simple metadata of a memory, in one line. */
export function Labels({ memory: { subjectKey, externalKey, metadata } }: { memory: Memory }) {
  const simple = Object.entries(metadata).filter(([, value]) => typeof value !== 'object' || value === null);
  const labels: [string, unknown][] = [
    ...(subjectKey === undefined ? [] : [['subject', subjectKey] as [string, unknown]]),
    ...(externalKey === undefined ? [] : [['key', externalKey] as [string, unknown]]),
    ...simple.slice(0, MAX_KEYS),
  ];
  if (labels.length === 0) return null;
  return (
    <span class={styles.labels}>
      {labels.flatMap(([key, value]) => [
        <InlineText key={`${key}:`} class={styles.key} text={spaced(shortened(key, MAX_KEY_LENGTH))} />,
        <InlineText key={key} class={styles.value} text={spaced(shortened(String(value), MAX_VALUE_LENGTH))} />,
      ])}
    </span>
  );
}

/** Ends a text with a space. A text node between the elements would be laid out by itself. */
function spaced(text: string): string {
  return `${text} `;
}

/** Cuts a text, but no character of two units. */
function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
