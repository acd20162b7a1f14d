import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type BatchItem, MemoryClient, MemoryConnectionError } from '@memory-service/sdk';
import { readCorpus, type SourceDocument } from './corpus.js';
import { BATCH_ITEMS, ingestAll } from './ingest.js';
import { toItems } from './items.js';
import { type Answer, ask, QUESTIONS, timeSearches } from './questions.js';
import { type Figures, printAnswer, printFigures, printNext, printServing, seconds } from './report.js';
import { Screen } from './screen.js';
import { startServer } from './server-process.js';

const MAX_DOCUMENTS = 600;
const TIMED_SEARCHES = 100;
const EXIT_NEWS_MS = 1_000;
const INTERRUPTED = 130;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const interrupted = new Error('Interrupted.');
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => (stop.signal.aborted ? process.exit(INTERRUPTED) : stop.abort(interrupted)));
}
// A reader that closes the pipe, such as head, ends the demo.
process.stdout.on('error', () => stop.abort(interrupted));

try {
  await main(readOptions());
} catch (error) {
  process.exitCode = error === interrupted ? INTERRUPTED : 1;
  if (error !== interrupted) console.error(`\nThe demo failed. ${error instanceof Error ? error.message : error}`);
}

interface Options {
  /** Leave the server running at the end. */
  serve: boolean;
  /** Maximum number of documents. Direct dependencies come first, since the questions are about them. */
  documents: number;
}

function readOptions(): Options {
  const { serve, documents } = parseArgs({
    options: {
      serve: { type: 'boolean', default: false },
      documents: { type: 'string', default: String(MAX_DOCUMENTS) },
    },
  }).values;
  if (!/^[1-9]\d{0,5}$/.test(documents)) throw new Error(`--documents must be a number, not "${documents}".`);
  return { serve, documents: Number(documents) };
}

async function main({ serve, documents: most }: Options): Promise<void> {
  const start = performance.now();
  const screen = new Screen(process.stdout);
  const { signal } = stop;
  await using folder = await temporaryFolder();

  screen.print('Reading the documents of the installed packages');
  const documents = await readCorpus(join(ROOT, 'node_modules'), most);
  const items = documents.flatMap(toItems);

  screen.print('Starting a server with an empty store');
  await using server = await startServer({
    script: join(ROOT, 'server/dist/main.cjs'),
    dataDir: folder.path,
    onExit: (error) => stop.abort(error),
    signal,
  });
  const client = new MemoryClient(server.credentials);
  try {
    await show(screen, client, documents, items, signal);
  } catch (error) {
    // The error of a server that exited says more than that of the broken connection.
    if (error instanceof MemoryConnectionError) await delay(EXIT_NEWS_MS, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    throw error;
  }
  const count = QUESTIONS.length;
  const took = seconds(performance.now() - start);
  screen.print(`All ${count} questions were answered as expected. The whole demo took ${took}.\n`);
  if (!serve) {
    printNext(screen);
    return;
  }
  printServing(screen, server.credentials);
  await untilStopped(signal);
}

/** Stores the documents, asks the questions and prints the results. @throws {Error} if they are not as expected */
async function show(
  screen: Screen,
  client: MemoryClient,
  documents: readonly SourceDocument[],
  items: readonly BatchItem[],
  signal: AbortSignal,
): Promise<void> {
  screen.print(`Storing ${items.length} chunks in batches of ${BATCH_ITEMS}`);
  const stored = await store(screen, client, items, signal);
  screen.print();

  const answers: Answer[] = [];
  for (const question of QUESTIONS) {
    const answer = await ask(client, question, signal);
    printAnswer(screen, answer);
    answers.push(answer);
  }

  const figures = await measure(client, documents, items, stored, signal);
  printFigures(screen, figures);
  assertGood(answers, figures);
}

type Stored = Pick<Figures, 'ingestMs' | 'tally'>;

async function store(
  screen: Screen,
  client: MemoryClient,
  items: readonly BatchItem[],
  signal: AbortSignal,
): Promise<Stored> {
  const start = performance.now();
  using progress = screen.progress(items.length, 'chunks');
  const tally = await ingestAll(client, items, { signal, onProgress: (count) => progress.advance(count) });
  return { tally, ingestMs: performance.now() - start };
}

async function measure(
  client: MemoryClient,
  documents: readonly SourceDocument[],
  items: readonly BatchItem[],
  stored: Stored,
  signal: AbortSignal,
): Promise<Figures> {
  const again = items.slice(0, BATCH_ITEMS);
  const start = performance.now();
  const tally = await ingestAll(client, again, { signal });
  const replay = { items: again.length, ms: performance.now() - start, tally };
  const searchMs = await timeSearches(client, someHeadings(items), signal);
  const { meta } = await client.stats({}, { signal });
  return {
    documents: documents.length,
    packages: new Set(documents.map(({ project }) => project)).size,
    chunks: items.length,
    ...stored,
    replay,
    memories: meta.total,
    searchMs,
  };
}

/** Returns headings from all documents, as queries. */
function someHeadings(items: readonly BatchItem[]): string[] {
  const headings = [
    ...new Set(items.map(({ metadata }) => String(metadata?.heading ?? '')).filter((text) => text !== '')),
  ];
  const step = Math.max(1, Math.floor(headings.length / TIMED_SEARCHES));
  return headings.filter((_, at) => at % step === 0).slice(0, TIMED_SEARCHES);
}

/** @throws {Error} if the results are not those that the demo claims */
function assertGood(answers: readonly Answer[], { replay, tally, memories }: Figures): void {
  const missed = answers.filter(({ rank }) => rank === undefined).map(({ question }) => `"${question.search.query}"`);
  if (missed.length > 0) throw new Error(`Not answered as expected: ${missed.join(', ')}`);
  if (replay.tally.created > 0) throw new Error('A batch that was sent again was stored twice.');
  if (memories !== tally.created) throw new Error(`${tally.created} memories were created, ${memories} are counted.`);
}

async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'memory-demo-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Resolves on Ctrl-C. @throws {Error} if the server exits by itself */
async function untilStopped(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  if (signal.reason !== interrupted) throw signal.reason;
}
