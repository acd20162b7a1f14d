import type { Reembedding } from '@memory-service/sdk';
import { useRead } from '../../data/organization.js';
import { CodeBlock } from '../../kit/controls/copy.js';
import { Card } from '../../kit/display/card.js';
import styles from './overview-page.module.css';

const number = new Intl.NumberFormat('en');

/** How far the memories are on their way to another embedder. Shows nothing if they are not. */
export function ReembeddingCard() {
  const { data } = useRead(['settings'], (client, options) => client.settings.get(options));
  const reembedding = data?.reembedding;
  if (!reembedding) return null;
  return (
    <Card title="New embedder" aside={<strong>{share(reembedding)}</strong>}>
      <div class={styles.values}>
        {reembedding.state === 'running' ? <Running {...reembedding} /> : <Blocked {...reembedding} />}
      </div>
    </Card>
  );
}

function Running({ configured, searched, memories, embedded }: Reembedding) {
  return (
    <>
      <p>
        {number.format(embedded)} of {number.format(memories)} memories are embedded with <code>{configured}</code>.
        Until all are, searches compare the vectors of <code>{searched}</code>, and writes go on.
      </p>
      <CodeBlock label="Progress, for the operator" code="npm run reembed -- --status" />
    </>
  );
}

function Blocked({ configured, searched }: Reembedding) {
  return (
    <>
      <p>
        The service is configured for <code>{configured}</code>, but searches compare vectors of <code>{searched}</code>
        , which the service cannot use. Searches by meaning and writes are rejected until the operator restores the
        former configuration, or embeds the memories again.
      </p>
      <CodeBlock label="Embed again, for the operator" code="npm run reembed" />
    </>
  );
}

function share({ memories, embedded }: Reembedding): string {
  return `${Math.floor((100 * embedded) / Math.max(1, memories))} %`;
}
