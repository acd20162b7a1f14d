import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { usePlace } from '../../data/organization.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Button, ButtonLink } from '../../kit/controls/button.js';
import { Input } from '../../kit/controls/field.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { DataState, EmptyState } from '../../kit/feedback/data-state.js';
import { useListKeys } from '../../kit/keyboard/list-keys.js';
import { useShortcuts } from '../../kit/keyboard/shortcuts.js';
import { type Document, type Group, groupsOf, matches } from './contract.js';
import { OperationView } from './operation-view.js';
import { Prose } from './prose.js';
import styles from './reference-page.module.css';
import { useContract } from './use-contract.js';

export function ReferencePage() {
  const contract = useContract();
  const { data } = contract;
  return (
    <>
      <PageHeader
        title="API reference"
        description={`Every operation of this service${data ? `, version ${data.info.version}` : ''}.`}
        actions={
          <>
            <ButtonLink href="/docs/">Documentation</ButtonLink>
            <ButtonLink href="/openapi.json">openapi.json</ButtonLink>
          </>
        }
      />
      <DataState query={contract} lines={10}>
        {(document) => <Reference document={document} />}
      </DataState>
    </>
  );
}

function Reference({ document }: { document: Document }) {
  const { href } = usePlace();
  const { params } = useRoute();
  const { route } = useLocation();
  const [search, setSearch] = useQueryParam('q');
  const [text, setText] = useState(search);
  const groups = useMemo(() => groupsOf(document), [document]);
  const found = groups.map((group) => ({
    ...group,
    operations: group.operations.filter((operation) => matches(operation, text)),
  }));
  const listed = found.flatMap(({ operations }) => operations);
  const all = groups.flatMap(({ operations }) => operations);
  const operation = all.find(({ operationId }) => operationId === params.operationId);
  const opened = useRef(operation?.operationId);
  const isChosen = operation?.operationId !== opened.current;
  const addressOf = (operationId = '') =>
    href(`/reference/${operationId}${search && `?q=${encodeURIComponent(search)}`}`);
  const open = (at: number) => {
    const chosen = listed[at];
    if (chosen) route(addressOf(chosen.operationId), true);
  };
  useListKeys({
    count: listed.length,
    selected: listed.findIndex(({ operationId }) => operationId === operation?.operationId),
    onSelect: open,
    onOpen: open,
    onClose: () => route(addressOf(), true),
  });
  return (
    <div class={`${styles.columns} ${params.operationId === undefined ? '' : styles.hasOperation}`}>
      <Index
        groups={found}
        text={text}
        onText={setText}
        onCommit={() => setSearch(text)}
        selected={operation?.operationId}
        addressOf={addressOf}
      />
      <div class={styles.detail}>
        <p class={styles.back}>
          <a href={addressOf()}>All operations</a>
        </p>
        {operation && <OperationView document={document} operation={operation} takesFocus={isChosen} />}
        {!operation && params.operationId !== undefined && (
          <EmptyState title="No such operation" action={<a href={addressOf()}>See all operations</a>} />
        )}
        {!operation && params.operationId === undefined && (
          <article class={styles.introduction}>
            <h2>{document.info.title}</h2>
            <Prose text={document.info.description} />
          </article>
        )}
      </div>
    </div>
  );
}

interface IndexProps {
  groups: readonly Group[];
  text: string;
  onText: (text: string) => void;
  onCommit: () => void;
  selected: string | undefined;
  addressOf: (operationId: string) => string;
}

/** The list of operations, which a search narrows. */
function Index({ groups, text, onText, onCommit, selected, addressOf }: IndexProps) {
  const index = useRef<HTMLElement>(null);
  useShortcuts([{ keys: '/', label: 'Find an operation', run: () => index.current?.querySelector('input')?.focus() }]);
  useEffect(() => {
    index.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  const shown = groups.filter(({ operations }) => operations.length > 0);
  return (
    <nav ref={index} class={styles.index} aria-label="Operations">
      <div class={styles.search}>
        <Input
          type="search"
          aria-label="Find an operation"
          placeholder="Find an operation"
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
          onChange={onCommit}
        />
      </div>
      {shown.length === 0 && (
        <EmptyState
          title="No operation matches"
          action={<Button onClick={() => onText('')}>Show all operations</Button>}
        />
      )}
      {shown.map(({ name, description, operations }) => (
        <section key={name} class={styles.group} aria-label={name}>
          <h2 title={description}>{name}</h2>
          <ul>
            {operations.map(({ operationId, summary, method }) => (
              <li key={operationId}>
                <a href={addressOf(operationId)} aria-current={operationId === selected ? 'page' : undefined}>
                  <span class={styles.summary}>{summary}</span> <span class={styles.method}>{method}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
