import type { Memory } from '@memory-service/sdk';
import { MemoryText } from '../../../kit/display/memory-text.js';
import styles from './labels.module.css';

/** Metadata keys that a row shows. */
const MAX_KEYS = 4;
/** More than there is room for. */
const MAX_LENGTH = 64;

/** The subject, the key and the first simple metadata of a memory, in one line. */
export function Labels({ memory: { subjectKey, externalKey, metadata } }: { memory: Memory }) {
  const simple = Object.entries(metadata).filter(([, value]) => typeof value !== 'object' || value === null);
  const labels: [string, unknown][] = [
    ...(subjectKey === undefined ? [] : [['subject', subjectKey] as [string, unknown]]),
    ...(externalKey === undefined ? [] : [['key', externalKey] as [string, unknown]]),
    ...simple.slice(0, MAX_KEYS),
  ];
  return (
    <span class={styles.labels}>
      {labels.map(([key, value], at) => (
        <span key={at} class={styles.label}>
          <span class={styles.key}>
            <MemoryText oneLine text={key.slice(0, MAX_LENGTH)} />
          </span>
          <MemoryText oneLine text={String(value).slice(0, MAX_LENGTH)} />
        </span>
      ))}
    </span>
  );
}
