import { useMemo } from 'preact/hooks';
import { MemoryText } from '../../../kit/display/memory-text.js';
import { differences } from './difference.js';
import styles from './difference-text.module.css';

interface DifferenceTextProps {
  label: string;
  before: string;
  after: string;
}

/** Two texts in one, with the words that only one of them has marked. */
export function DifferenceText({ label, before, after }: DifferenceTextProps) {
  const pieces = useMemo(() => differences(before, after), [before, after]);
  return (
    <section class={styles.text} aria-label={label} tabIndex={0}>
      {pieces.map(({ kind, text }, at) => {
        if (kind === 'same') return <MemoryText key={at} text={text} />;
        const Mark = kind === 'added' ? 'ins' : 'del';
        return (
          <Mark key={at} class={styles[kind]}>
            <MemoryText text={text} />
          </Mark>
        );
      })}
    </section>
  );
}
