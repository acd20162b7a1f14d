import { useState } from 'preact/hooks';
import { useRead } from '../../../data/organization.js';
import { Button } from '../../../kit/controls/button.js';
import forms from '../../../kit/controls/form.module.css';
import { MemoryText } from '../../../kit/display/memory-text.js';
import { DataState } from '../../../kit/feedback/data-state.js';
import styles from './memory-detail.module.css';

/** Characters of a content in the list. */
const SHOWN = 240;

interface SimilarMemoriesProps {
  id: string;
  addressOf: (id: string) => string;
}

/** The memories closest in meaning. The read is metered, so it waits for a button. */
export function SimilarMemories({ id, addressOf }: SimilarMemoriesProps) {
  const [isRequested, setIsRequested] = useState(false);
  const read = useRead(['memory-similar', id], (client, options) => client.similar(id, {}, options), {
    enabled: isRequested,
    staleTimeMs: Number.POSITIVE_INFINITY,
  });
  if (!isRequested && read.data === undefined) {
    return (
      <div class={forms.form}>
        <p class={styles.muted}>This counts as one search of your plan.</p>
        <div>
          <Button onClick={() => setIsRequested(true)}>Find similar memories</Button>
        </div>
      </div>
    );
  }
  const none = <p class={styles.muted}>No other memory is stored.</p>;
  return (
    <DataState query={read} empty={{ when: ({ results }) => results.length === 0, show: none }}>
      {({ results }) => (
        <ul class={styles.entries}>
          {results.map(({ id: other, content, similarity }) => (
            <li key={other} class={styles.similar}>
              <a href={addressOf(other)}>
                <MemoryText text={Array.from(content).slice(0, SHOWN).join('')} />
              </a>
              {similarity !== undefined && <span class={styles.muted}>{similarity.toFixed(2)}</span>}
            </li>
          ))}
        </ul>
      )}
    </DataState>
  );
}
