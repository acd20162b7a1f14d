import type { SearchResult } from '@memory-service/sdk';
import styles from './score-bar.module.css';

/** Units of the drawing: a score of 1 is this wide. */
const WIDTH = 200;
const HEIGHT = 8;

/** The parts of a score, in the order of the drawing. */
const PARTS = ['meaning', 'words', 'recency'] as const;

/** A score, and what each part adds to it. The words below the bar are its text equivalent. */
export function ScoreBar({ result: { score, explanation } }: { result: SearchResult }) {
  const parts = PARTS.flatMap((name) => {
    const value = explanation?.parts[name];
    return value === undefined ? [] : [{ name, value }];
  });
  let start = 0;
  const bars = parts.map(({ name, value }) => {
    const x = start;
    start += value * WIDTH;
    return <rect key={name} class={styles[name]} x={x} width={value * WIDTH} height={HEIGHT} />;
  });
  return (
    <div class={styles.score}>
      <span class={styles.figure}>
        <span class="visually-hidden">Score </span>
        {score.toFixed(3)}
      </span>
      <svg class={styles.bar} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <rect class={styles.track} width={WIDTH} height={HEIGHT} />
        {bars}
      </svg>
      <ul class={styles.parts}>
        {parts.map(({ name, value }) => (
          <li key={name}>
            <svg class={styles.key} viewBox="0 0 8 8" aria-hidden="true">
              <rect class={styles[name]} width={8} height={8} rx={2} />
            </svg>
            {name} {value.toFixed(3)}
            {name === 'words' && explanation?.keyword && ` (rank ${explanation.keyword.rank})`}
          </li>
        ))}
      </ul>
    </div>
  );
}
