import type { Filter, Memory } from '@memory-service/sdk';
import type { ComponentChildren } from 'preact';
import { usePlace } from '../../../data/organization.js';
import { CopyButton } from '../../../kit/controls/copy.js';
import { MemoryText } from '../../../kit/display/memory-text.js';
import { Time } from '../../../kit/display/time.js';
import { withCondition } from '../view.js';
import styles from './memory-detail.module.css';

interface RecordProps {
  memory: Memory;
  /** Shows the memories with the same value. */
  onFilter: (filter: Filter) => void;
}

/** Everything that a memory holds. */
export function MemoryRecord({ memory, onFilter }: RecordProps) {
  const { id, content, metadata, subjectKey, externalKey, scope, distinct } = memory;
  const { createdAt, updatedAt, deletedAt, expiresAt } = memory;
  const { can, href } = usePlace();
  const { documentId } = metadata;
  const search = new URLSearchParams({
    document: String(documentId),
    ...(subjectKey !== undefined && { subject: JSON.stringify(subjectKey) }),
  });
  return (
    <>
      <div class={styles.content}>
        <MemoryText text={content} />
      </div>
      <dl class={styles.facts}>
        {subjectKey !== undefined && (
          <Fact name="Subject">
            <Filterable name="subjectKey" value={subjectKey} onFilter={onFilter} />
          </Fact>
        )}
        {externalKey !== undefined && (
          <Fact name="External key">
            <MemoryText text={externalKey} />
          </Fact>
        )}
        {scope && (
          <Fact name="Scope">
            <MemoryText text={[scope.source, scope.project].filter((part) => part !== undefined).join(' / ')} />
          </Fact>
        )}
        {Object.entries(metadata).map(([key, value]) => (
          <Fact key={key} name={<MemoryText text={key} />}>
            <Filterable name={key} value={value} onFilter={onFilter} />
          </Fact>
        ))}
        {typeof documentId === 'string' && can('getDocument') && (
          <Fact name="Document">
            <a href={href(`/documents?${search}`)}>Read the whole document</a>
          </Fact>
        )}
      </dl>
      <dl class={styles.facts}>
        <Fact name="Created">
          <Time absolute value={createdAt} />
        </Fact>
        <Fact name="Updated">
          <Time absolute value={updatedAt} />
        </Fact>
        {deletedAt !== undefined && (
          <Fact name="Deleted">
            <Time absolute value={deletedAt} />
          </Fact>
        )}
        {expiresAt !== undefined && (
          <Fact name="Expires">
            <Time absolute value={expiresAt} />
          </Fact>
        )}
        {distinct && <Fact name="De-duplication">Off: other memories may have the same content</Fact>}
        <Fact name="Id">
          <div class={styles.id}>
            <code>{id}</code>
            <CopyButton text={id} what="the id" />
          </div>
        </Fact>
      </dl>
    </>
  );
}

function Fact({ name, children }: { name: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface FilterableProps extends Pick<RecordProps, 'onFilter'> {
  name: string;
  value: unknown;
}

/** A value. If a filter can match it, it is a button that does. */
function Filterable({ name, value, onFilter }: FilterableProps) {
  const isScalar =
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (!isScalar || name === '__proto__') return <MemoryText text={JSON.stringify(value, null, 2)} />;
  return (
    <button
      type="button"
      class={styles.value}
      title="Show the memories with this value"
      onClick={() => onFilter(withCondition({}, name, value))}
    >
      <MemoryText text={String(value)} />
    </button>
  );
}
