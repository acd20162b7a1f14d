import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { usePlace, useRead } from '../../data/organization.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Button, ButtonLink } from '../../kit/controls/button.js';
import { CodeBlock } from '../../kit/controls/copy.js';
import { Tabs } from '../../kit/controls/tabs.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { EmptyState } from '../../kit/feedback/data-state.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { numberText } from '../../kit/text/number-text.js';
import { samplesOf } from './code-samples.js';
import { Comparison } from './comparison.js';
import { ResultList } from './result-list.js';
import { type Run, useRuns } from './runs.js';
import { SearchForm } from './search-form.js';
import styles from './search-page.module.css';
import { DEFAULTS, requestOf, type SearchSettings, settingsOf, writeSettings } from './settings.js';

/** A first search, for people who have not typed one. */
const EXAMPLE = 'what was decided last';

export function SearchPage() {
  const { settings, edit, commit } = useSettings();
  const [tab, setTab] = useQueryParam('tab', 'results');
  const runs = useRuns();
  const search = (part: Partial<SearchSettings> = {}) => {
    const complete = commit(part, { push: true });
    if (complete.query.trim() !== '') runs.run(complete);
  };
  const tabs = [
    { key: 'results', title: 'Results', content: () => <Results runs={runs} settings={settings} onSearch={search} /> },
    { key: 'json', title: 'JSON', content: () => <Json settings={settings} run={runs.latest} /> },
    { key: 'code', title: 'Code', content: () => <Code settings={settings} /> },
  ];
  return (
    <>
      <PageHeader
        title="Search"
        description="Find memories as your clients do, and see why each one is found."
        actions={<SearchesLeft />}
      />
      <div class={styles.page}>
        <SearchForm
          settings={settings}
          isRunning={runs.isRunning}
          onEdit={edit}
          onCommit={commit}
          onSearch={() => search()}
        />
        {runs.error && <FailureNotice error={runs.error} onRetry={() => search()} />}
        <Tabs label="Views of the search" tabs={tabs} selected={tab} onSelect={setTab} />
      </div>
    </>
  );
}

/** The settings of the address, and edits that are not in it yet. */
function useSettings() {
  const { query: parameters, route } = useLocation();
  const [, setEdits] = useState<Partial<SearchSettings>>({});
  // Two events may follow each other before the page is rendered, so each starts from what the other left.
  const edits = useRef<Partial<SearchSettings>>({});
  const keep = (kept: Partial<SearchSettings>) => {
    edits.current = kept;
    setEdits(kept);
  };
  const commit = (part: Partial<SearchSettings> = {}, { push = false } = {}): SearchSettings => {
    const url = new URL(location.href);
    const settings = { ...settingsOf(Object.fromEntries(url.searchParams)), ...edits.current, ...part };
    writeSettings(settings, url.searchParams);
    if (url.href !== location.href) route(`${url.pathname}${url.search}`, !push);
    keep({});
    return settings;
  };
  return {
    settings: { ...settingsOf(parameters), ...edits.current },
    edit: (part: Partial<SearchSettings>) => keep({ ...edits.current, ...part }),
    commit,
  };
}

/** How many searches the month has left, for those who may read the usage. */
function SearchesLeft() {
  const { can } = usePlace();
  const usage = useRead(['usage'], (client, options) => client.usage.get(options), { enabled: can('getUsage') });
  const { cap = null, used = 0 } = usage.data?.search ?? {};
  return (
    <p class={styles.muted} role="status">
      {cap === null
        ? 'Each run is one search of the month.'
        : `${numberText(Math.max(0, cap - used))} of ${numberText(cap)} searches left this month.`}
    </p>
  );
}

interface ResultsProps {
  runs: ReturnType<typeof useRuns>;
  settings: SearchSettings;
  onSearch: (part?: Partial<SearchSettings>) => void;
}

function Results({ runs, settings, onSearch }: ResultsProps) {
  const { latest, pinned, pin, unpin, isRunning } = runs;
  if (!latest) return <FirstSearch settings={settings} isRunning={isRunning} onSearch={onSearch} />;
  const hasChanged = JSON.stringify(requestOf(settings)) !== JSON.stringify(requestOf(latest.settings));
  return (
    <div class={styles.results} aria-busy={isRunning}>
      <div class={styles.toolbar}>
        <p role="status">
          {countWords(latest)}
          {hasChanged && <span class={styles.muted}> The settings have changed: press Enter to search again.</span>}
        </p>
        {pinned === latest || latest.response.results.length === 0 || (
          <Button onClick={pin}>{pinned ? 'Pin this run instead' : 'Pin this run'}</Button>
        )}
        {pinned && <Button onClick={unpin}>Unpin</Button>}
      </div>
      {latest.response.meta.wordsLeftOut && (
        <p class={styles.muted}>The query has too many words: only the rarest were searched for.</p>
      )}
      {pinned === latest && (
        <p class={styles.muted}>This run is pinned. Change a setting and search again to compare both.</p>
      )}
      <Found runs={runs} latest={latest} settings={settings} onSearch={onSearch} />
    </div>
  );
}

function Found({ runs: { pinned }, latest, settings, onSearch }: ResultsProps & { latest: Run }) {
  const { href } = usePlace();
  if (pinned && pinned !== latest) return <Comparison pinned={pinned} latest={latest} />;
  if (latest.response.results.length > 0) return <ResultList run={latest} />;
  const isNarrowed = settings.minScore > 0 || Object.keys(settings.filter).length > 0;
  const widen = (
    <Button onClick={() => onSearch({ minScore: DEFAULTS.minScore, filter: DEFAULTS.filter })}>
      Search without filter and minimum
    </Button>
  );
  return (
    <EmptyState
      title="No memory matches"
      action={isNarrowed ? widen : <ButtonLink href={href('/changes')}>See the newest memories</ButtonLink>}
    >
      <p>Use other words, or another mode.</p>
    </EmptyState>
  );
}

function FirstSearch({ settings, isRunning, onSearch }: Omit<ResultsProps, 'runs'> & { isRunning: boolean }) {
  const query = settings.query.trim() || EXAMPLE;
  return (
    <EmptyState
      title="Search in plain words"
      action={
        <Button busy={isRunning} onClick={() => onSearch({ query })}>
          Search for “{query.length > 40 ? `${query.slice(0, 40)}…` : query}”
        </Button>
      }
    >
      <p>A search runs when you press Enter, not while you type. The address keeps its settings.</p>
    </EmptyState>
  );
}

function Json({ settings, run }: { settings: SearchSettings; run: Run | undefined }) {
  return (
    <div class={styles.results}>
      <CodeBlock label="Request" code={JSON.stringify({ ...requestOf(settings), explain: true }, undefined, 2)} />
      {run && <CodeBlock label="Answer to the last run" code={JSON.stringify(run.response, undefined, 2)} />}
    </div>
  );
}

function Code({ settings }: { settings: SearchSettings }) {
  const { organization } = usePlace();
  return (
    <div class={styles.results}>
      <p class={styles.muted}>
        These read the token from <code>MEMORY_TOKEN</code>. The CLI reads <code>MEMORY_BASE_URL</code> and{' '}
        <code>MEMORY_ORGANIZATION_ID</code> too.
      </p>
      {samplesOf(requestOf(settings), location.origin, organization.id).map(({ label, code }) => (
        <CodeBlock key={label} label={label} code={code} />
      ))}
    </div>
  );
}

function countWords({ response: { results }, tookMs }: Run): string {
  const count = results.length === 1 ? '1 result' : `${results.length} results`;
  return `${count} in ${numberText(Math.round(tookMs))} ms.`;
}
