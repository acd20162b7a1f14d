import { usePlace } from '../../data/organization.js';
import { ButtonLink } from '../../kit/controls/button.js';
import { CodeBlock } from '../../kit/controls/copy.js';
import { Card } from '../../kit/display/card.js';
import { EmptyState } from '../../kit/feedback/data-state.js';
import styles from './overview-page.module.css';

/** The way to a first memory, for an organization that has none. */
export function FirstSteps() {
  const { can, href } = usePlace();
  if (!can('ingestMemory')) {
    return (
      <EmptyState title="Nothing is stored yet" action={<ButtonLink href={href('/api-keys')}>Make a key</ButtonLink>}>
        <p>Memories appear here as soon as a client stores them. A key lets a client of yours read them.</p>
      </EmptyState>
    );
  }
  return (
    <Card title="First steps">
      <ol class={styles.steps}>
        <li>
          <h3>1. Make a key</h3>
          <p class={styles.muted}>
            You see it once. Put it into the variable <code>MEMORY_TOKEN</code> for the commands below.
          </p>
          <div>
            <ButtonLink look="primary" href={href('/api-keys')}>
              Make a key
            </ButtonLink>
          </div>
        </li>
        <li>
          <h3>2. Store a memory</h3>
          <CodeBlock
            label="Store a memory with curl"
            code={command('', { content: 'Deploys run on Fridays at noon.' })}
          />
        </li>
        <li>
          <h3>3. Search for it</h3>
          <CodeBlock label="Search with curl" code={command('/search', { query: 'When do we deploy?' })} />
        </li>
      </ol>
    </Card>
  );
}

function command(path: string, body: object): string {
  return [
    `curl ${location.origin}/api/memories${path} \\`,
    '  -H "Authorization: Bearer $MEMORY_TOKEN" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
}
