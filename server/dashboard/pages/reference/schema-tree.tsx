import { Badge } from '../../kit/display/badge.js';
import type { Document, Schema } from './contract.js';
import { LazyDetails } from './lazy-details.js';
import { Prose } from './prose.js';
import { boundWords, flatten, type Member, membersOf, typeWords } from './schema.js';
import styles from './schema-tree.module.css';

interface SchemaTreeProps {
  document: Document;
  schema: Schema;
}

/** The members of a schema, each of which opens its own. */
export function SchemaTree({ document, schema }: SchemaTreeProps) {
  const members = membersOf(document, schema);
  if (members.length === 0) return <SchemaLine document={document} schema={schema} />;
  return (
    <ul class={styles.members}>
      {members.map((member) => (
        <li key={member.name}>
          <MemberLine document={document} member={member} />
        </li>
      ))}
    </ul>
  );
}

function MemberLine({ document, member: { name, schema, isRequired } }: { document: Document; member: Member }) {
  const hasMembers = membersOf(document, schema).length > 0;
  return (
    <div class={styles.member}>
      <p class={styles.head}>
        <code class={styles.name}>{name}</code> <Type document={document} schema={schema} />
        {isRequired && <Badge tone="accent">required</Badge>}
      </p>
      <Prose text={flatten(document, schema).description} />
      {hasMembers && (
        <LazyDetails summary={`Members of ${name}`}>
          {() => <SchemaTree document={document} schema={schema} />}
        </LazyDetails>
      )}
    </div>
  );
}

/** A value without members: its type, bounds and description. */
export function SchemaLine({ document, schema }: SchemaTreeProps) {
  return (
    <div class={styles.member}>
      <p class={styles.head}>
        <Type document={document} schema={schema} />
      </p>
      <Prose text={flatten(document, schema).description} />
    </div>
  );
}

export function Type({ document, schema }: SchemaTreeProps) {
  const bounds = boundWords(document, schema);
  return (
    <span class={styles.type}>
      {typeWords(document, schema)}
      {bounds !== '' && <span class={styles.bounds}> · {bounds}</span>}
    </span>
  );
}
