import { Fragment } from 'preact';
import { blocksOf } from './markdown.js';
import styles from './prose.module.css';

/** A description of openapi.yaml. */
export function Prose({ text = '' }: { text?: string | undefined }) {
  if (text === '') return null;
  return (
    <div class={styles.prose}>
      {blocksOf(text).map((spans, at) => (
        <p key={at}>
          {spans.map(({ kind, text: part }, place) => {
            if (kind === 'plain') return <Fragment key={place}>{part}</Fragment>;
            return kind === 'bold' ? <strong key={place}>{part}</strong> : <code key={place}>{part}</code>;
          })}
        </p>
      ))}
    </div>
  );
}
