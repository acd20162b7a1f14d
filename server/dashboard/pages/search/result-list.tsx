import type { SearchResult } from '@memory-service/sdk';
import { usePlace } from '../../data/organization.js';
import { Badge } from '../../kit/display/badge.js';
import { MemoryText } from '../../kit/display/memory-text.js';
import { Time } from '../../kit/display/time.js';
import { useFocusKeys } from '../../kit/keyboard/focus-keys.js';
import { excerptOf } from './excerpt.js';
import styles from './result-list.module.css';
import type { Run } from './runs.js';
import { ScoreBar } from './score-bar.js';

const LABELS = ['kind', 'project', 'source'] as const;

export function ResultList({ run }: { run: Run }) {
  const { results } = run.response;
  const list = useFocusKeys<HTMLOListElement>({ count: results.length, items: 'a' });
  return (
    <ol ref={list} class={styles.list}>
      {results.map((result, at) => (
        <Result key={result.id} result={result} place={at + 1} />
      ))}
    </ol>
  );
}

function Result({ result, place }: { result: SearchResult; place: number }) {
  const { href } = usePlace();
  const { id, content, metadata, createdAt, deletedAt, explanation } = result;
  const matched = explanation?.matchedWords.flatMap(({ forms }) => forms) ?? [];
  return (
    <li class={styles.result}>
      <span class={styles.place}>{place}</span>
      <div class={styles.body}>
        <div class={styles.content}>
          <MemoryText text={excerptOf(content, matched)} marked={matched} />
        </div>
        <p class={styles.details}>
          {LABELS.map((name) => {
            const value = metadata[name];
            return (
              typeof value === 'string' && (
                <Badge key={name}>
                  <span class={styles.label}>{name}</span> <bdi>{value}</bdi>
                </Badge>
              )
            );
          })}
          {deletedAt !== undefined && <Badge tone="danger">deleted</Badge>}
          <span>
            Created <Time value={createdAt} />
          </span>
          <a href={href(`/memories/${id}`)} aria-label={`Open result ${place}`}>
            Open
          </a>
        </p>
      </div>
      <ScoreBar result={result} />
    </li>
  );
}
