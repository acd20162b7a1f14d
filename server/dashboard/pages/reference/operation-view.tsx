import { ROLES } from '@memory-service/sdk/constants';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type OperationId, roleMay } from '../../data/abilities.js';
import { CodeBlock } from '../../kit/controls/copy.js';
import { Badge } from '../../kit/display/badge.js';
import { type Answer, type Document, examplesOf, mediaOf, type Operation, resolve } from './contract.js';
import { curlOf } from './curl.js';
import { LazyDetails } from './lazy-details.js';
import styles from './operation-view.module.css';
import { Prose } from './prose.js';
import { SchemaTree, Type } from './schema-tree.js';

interface OperationViewProps {
  document: Document;
  operation: Operation;
  /** True if the user chose the operation, which then gets the focus. */
  takesFocus: boolean;
}

/** Everything that the contract says about an operation. */
export function OperationView({ document, operation, takesFocus }: OperationViewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { operationId, method, path, summary, description, requestBody, responses } = operation;
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [operationId]);
  const body = requestBody && resolve(document, requestBody);
  return (
    <article class={styles.operation} aria-label={summary}>
      <header class={styles.header}>
        <h2 ref={heading} tabIndex={-1}>
          {summary}
        </h2>
        <p class={styles.path}>
          <Badge tone="accent">{method.toUpperCase()}</Badge> <code>{path}</code>
        </p>
        <p class={styles.muted}>
          Operation <code>{operationId}</code>
        </p>
      </header>
      <Prose text={description} />
      <Access operation={operation} />
      <CodeBlock label="As curl" code={curlOf(document, operation, location.origin)} />
      <Parameters document={document} operation={operation} />
      {body && (
        <Section title="Body">
          <Content document={document} part={body} />
        </Section>
      )}
      <Section title="Answers">
        <ul class={styles.answers}>
          {Object.entries(responses).map(([status, answer]) => (
            <li key={status}>
              <AnswerView document={document} status={status} answer={resolve(document, answer)} />
            </li>
          ))}
        </ul>
      </Section>
    </article>
  );
}

function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class={styles.section}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** Who may use the operation, and what it counts against. */
function Access({ operation }: { operation: Operation }) {
  const { operationId, security } = operation;
  const abilities = security.flatMap(({ bearer }) => bearer ?? []);
  const takesToken = security.some((way) => 'bearer' in way);
  const takesSession = security.some((way) => 'session' in way);
  const roles = ROLES.filter((role) => roleMay(role, operationId as OperationId));
  const rows = [
    { name: 'Token', value: takesToken ? (abilities[0] ?? 'any') : undefined },
    { name: 'Session of', value: takesSession ? roles.join(', ') : undefined },
    { name: 'Credential', value: security.length === 0 ? 'none' : undefined },
    { name: 'Rate limit', value: operation['x-rate-limit-class'] },
    { name: 'Monthly cap', value: operation['x-metered'] },
  ];
  return (
    <dl class={styles.access}>
      {rows.map(
        ({ name, value }) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function Parameters({ document, operation }: { document: Document; operation: Operation }) {
  const parameters = (operation.parameters ?? []).map((part) => resolve(document, part));
  if (parameters.length === 0) return null;
  return (
    <Section title="Parameters">
      <ul class={styles.parameters}>
        {parameters.map((parameter) => {
          const schema = parameter.schema ?? mediaOf(parameter.content)?.media.schema ?? {};
          return (
            <li key={`${parameter.in} ${parameter.name}`}>
              <p class={styles.line}>
                <code class={styles.name}>{parameter.name}</code>
                <Badge>{parameter.in}</Badge>
                {parameter.required && <Badge tone="accent">required</Badge>}
                <Type document={document} schema={schema} />
              </p>
              <Prose text={parameter.description} />
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function AnswerView({ document, status, answer }: { document: Document; status: string; answer: Answer }) {
  const isGood = status.startsWith('2');
  const headers = Object.keys(answer.headers ?? {});
  return (
    <LazyDetails
      summary={
        <>
          <Badge tone={isGood ? 'success' : 'neutral'}>{status}</Badge> {shortForm(answer.description ?? '')}
        </>
      }
    >
      {() => (
        <>
          <Prose text={answer.description} />
          {headers.length > 0 && (
            <p class={styles.muted}>
              Headers: <code>{headers.join(', ')}</code>
            </p>
          )}
          <Content document={document} part={answer} />
        </>
      )}
    </LazyDetails>
  );
}

/** The schema and the examples of a body or an answer. */
function Content({ document, part: { content } }: { document: Document; part: Pick<Answer, 'content'> }) {
  const found = mediaOf(content);
  if (!found) return null;
  const { type, media } = found;
  return (
    <>
      <LazyDetails
        isOpen
        summary={
          <>
            Schema <span class={styles.muted}>{type}</span>
          </>
        }
      >
        {() => <SchemaTree document={document} schema={media.schema ?? {}} />}
      </LazyDetails>
      {examplesOf(document, media).map(({ title, value }) => (
        <LazyDetails key={title} summary={`Example: ${title}`}>
          {() => <CodeBlock label={title} code={textOf(value)} />}
        </LazyDetails>
      ))}
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

/** Returns a short plain form of a description: its codes if it explains several, or else its first sentence. */
function shortForm(text: string): string {
  const codes = Array.from(text.matchAll(/`(\w+)`:/g), ([, code]) => code);
  if (text.startsWith('`') && codes.length > 0) return codes.join(', ');
  const [sentence = ''] = text.replaceAll('`', '').split(/(?<=[.;])\s/);
  return sentence.length > 100 ? `${sentence.slice(0, 100)}…` : sentence.replace(/;$/, '');
}
