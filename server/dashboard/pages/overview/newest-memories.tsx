import type { MemoriesPage } from '@memory-service/sdk';
import type { UseQueryResult } from '@tanstack/preact-query';
import { usePlace, useRead } from '../../data/organization.js';
import { Card } from '../../kit/display/card.js';
import { MemoryText } from '../../kit/display/memory-text.js';
import { Time } from '../../kit/display/time.js';
import styles from './overview-page.module.css';

const SHOWN = 5;
const PREVIEW_CHARACTERS = 200;

/** Reads the newest memories. It is fast also if many are stored. */
export function useNewest(): UseQueryResult<MemoriesPage> {
  return useRead(['memories', 'newest'], (client, options) =>
    client.browse.list({ limit: SHOWN, preview: PREVIEW_CHARACTERS }, options),
  );
}

export function NewestMemories({ memories }: Pick<MemoriesPage, 'memories'>) {
  const { href } = usePlace();
  return (
    <Card title="Newest memories" aside={<a href={href('/memories')}>All memories</a>}>
      <ol class={styles.newest}>
        {memories.map(({ id, content, createdAt }) => (
          <li key={id} class={styles.memory}>
            <a href={href(`/memories/${id}`)}>
              <MemoryText text={content} oneLine />
            </a>
            <span class={styles.muted}>
              <Time value={createdAt} />
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
