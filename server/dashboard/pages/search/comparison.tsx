import type { SearchResult } from '@memory-service/sdk';
import type { ComponentChildren } from 'preact';
import { usePlace } from '../../data/organization.js';
import { MemoryText } from '../../kit/display/memory-text.js';
import styles from './comparison.module.css';
import { type Moved, movesBetween, type Run } from './runs.js';
import { MODE_NAMES, settingWords } from './settings.js';

/** Two runs beside each other, with the places that each memory rose or fell. */
export function Comparison({ pinned, latest }: { pinned: Run; latest: Run }) {
  const moves = movesBetween(pinned.response.results, latest.response.results);
  return (
    <div class={styles.columns}>
      <Column title="Pinned run" run={pinned} note={({ id }) => (moves.has(id) ? undefined : <Gone />)} />
      <Column title="This run" run={latest} note={({ id }) => <Move moved={moves.get(id)} />} />
    </div>
  );
}

interface ColumnProps {
  title: string;
  run: Run;
  note: (result: SearchResult) => ComponentChildren;
}

function Column({ title, run, note }: ColumnProps) {
  const { href } = usePlace();
  const { settings, response } = run;
  return (
    <section class={styles.column} aria-label={title}>
      <header class={styles.header}>
        <h2>{title}</h2>
        <p class={styles.muted}>
          <bdi>“{settings.query}”</bdi> · {MODE_NAMES[settings.mode].toLowerCase()} · {settingWords(settings)}
        </p>
      </header>
      {response.results.length === 0 && <p class={styles.none}>No memory matches.</p>}
      <ol>
        {response.results.map((result, at) => (
          <li key={result.id} class={styles.row}>
            <span class={styles.muted}>{at + 1}</span>
            <a class={styles.text} href={href(`/memories/${result.id}`)}>
              <MemoryText text={result.content.slice(0, 200)} oneLine />
            </a>
            <span class={styles.figure}>{result.score.toFixed(3)}</span>
            <span class={styles.note}>{note(result)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Gone() {
  return <span class={styles.lost}>gone</span>;
}

function Move({ moved }: { moved: Moved | undefined }) {
  if (moved === 'new') return <span class={styles.risen}>new</span>;
  if (moved === undefined || moved === 0) return <span class={styles.muted}>same</span>;
  return (
    <span class={moved > 0 ? styles.risen : styles.lost}>
      <span aria-hidden="true">{moved > 0 ? '▲' : '▼'}</span>
      <span class="visually-hidden">{moved > 0 ? 'up' : 'down'}</span> {Math.abs(moved)}
    </span>
  );
}
