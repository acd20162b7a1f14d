import { v7 } from 'uuid';
import { LocalEmbedder } from '../../adapters/embedding/local/local-embedder.js';
import { setUp } from '../../adapters/mongo/set-up.js';
import { EXACT_ROWS } from '../../adapters/mongo/store.js';
import { doTextWork, type TextOrder } from '../../adapters/text-work/do-text-work.js';
import { packed } from '../../adapters/text-work/text-answer.js';
import { TextTurns } from '../../adapters/text-work/text-turns.js';
import type { Caller } from '../../domain/account/caller.js';
import { ABILITIES } from '../../domain/account/role.js';
import type { WireFilter } from '../../domain/filter/filter.js';
import { NO_FILTER, parseFilter } from '../../domain/filter/filter.js';
import type { Store } from '../../ports/store.js';
import { countMemories, listChanges, listRecent } from '../../services/reading/reads.js';
import { type SearchInput, search } from '../../services/reading/search.js';
import { deleteMemory } from '../../services/removal/delete.js';
import { ingestBatch } from '../../services/writing/batch.js';
import { ingest } from '../../services/writing/ingest.js';
import { updateMemory } from '../../services/writing/update.js';
import { PLAIN_SEARCH } from '../../testing/fixtures/plain-search.js';
import { foundOrganizations } from '../../testing/processes/found-organizations.js';
import { type Corpus, RARE_KIND } from '../corpus.js';
import { DIMENSIONS } from '../world.js';
import { BenchDatabase } from './bench-database.js';
import { CountedStore, type DatabaseWork } from './counted-store.js';
import { type Filling, fill } from './fill.js';

/** Operations of a kind, each in another organization. */
const REPEATED = 20;
const BATCH = 50;
const RESULTS = 10;

/**
 * Counts what the database does for each kind of operation: commands of the driver, and documents and index keys by the
 * statistics of the server. The operations are those of the services, without the checks of a request.
 */
export async function countDatabaseWork(
  deployment: string,
  corpus: Corpus,
  { size, organizations }: { size: number; organizations: number },
): Promise<void> {
  await using database = await BenchDatabase.make(deployment);
  const { MONGODB_URI: uri = '' } = database.backing.env;
  await setUp(database.db, { dimensions: DIMENSIONS });
  const places = await foundOrganizations(await database.backing.openStore(''), organizations);
  await using counted = await CountedStore.open(uri);
  await database.dropVectorIndex();
  const filling: Filling = { stored: [], organizations, organizationIds: places.map((place) => place.organizationId) };
  const start = performance.now();
  await fill(database, filling, corpus, new LocalEmbedder({ dimensions: DIMENSIONS }), size);
  console.log(`${size} memories in ${Math.round((performance.now() - start) / 1_000)} s\n`);
  // Searches of smaller organizations compare all of their vectors, so they need no graph.
  if (size / organizations > EXACT_ROWS) await database.buildVectorIndex();
  else await database.buildFlatIndex();

  const bytes = await bytesOf(database, size);
  console.log(`### ${size} memories over ${organizations} organizations\n`);
  console.log('| operation | commands | documents read | index keys read | documents written |');
  console.log('| --- | --- | --- | --- | --- |');
  let before = await counted.work();
  for (const [what, operate] of Object.entries(operationsOf(counted.store, corpus, filling))) {
    for (let n = 0; n < REPEATED; n += 1) await operate(n % organizations);
    const after = await counted.work();
    console.log(`| ${what} | ${average(before, after).join(' | ')} |`);
    before = after;
  }
  console.log('\n| | bytes a memory |\n| --- | --- |');
  for (const [what, count] of Object.entries(bytes)) console.log(`| ${what} | ${Math.round(count)} |`);
}

type Operation = (organization: number) => Promise<unknown>;

/** Returns the operations. Each is called once for each of several organizations. */
function operationsOf(store: Store, corpus: Corpus, { stored, organizations, organizationIds }: Filling) {
  const now = () => Date.now() * 1_000;
  const deps = {
    store,
    now,
    newId: () => v7(),
    embedder: new LocalEmbedder({ dimensions: DIMENSIONS }),
    billing: { enforced: false, configured: false, plans: new Map() },
    texts: new TextTurns({ ask: (order: TextOrder) => packed(() => doTextWork(order)) }),
    contentScan: undefined,
    limits: { contentLength: 100_000, batchItems: BATCH, ...NO_LIMIT },
  };
  const callerOf = async (organization: number): Promise<Caller> => {
    const organizationId = organizationIds[organization] ?? '';
    const settings = settingsOf.get(organizationId) ?? (await store.accounts.settings(organizationId));
    if (settings) settingsOf.set(organizationId, settings);
    return { ...OWNER, organizationId, ...(settings && { settings }) };
  };
  const settingsOf = new Map<string, NonNullable<Caller['settings']>>();
  const createdOf = new Map<string, string[]>();
  const filterOf = (caller: Caller, filter: WireFilter) => parseFilter(filter, caller.settings ?? {}, 'json');
  const searching =
    (options: Partial<SearchInput>): Operation =>
    async (organization) =>
      search(deps, await callerOf(organization), {
        ...PLAIN_SEARCH,
        query: corpus.query(nearOf(organization)),
        limit: RESULTS,
        ...options,
      });
  const nearOf = (organization: number) => stored[organization + organizations]?.content ?? '';
  const counting =
    (filter: WireFilter | undefined): Operation =>
    async (organization) => {
      const caller = await callerOf(organization);
      return countMemories(deps, caller, filter ? filterOf(caller, filter) : NO_FILTER, false);
    };
  const scope = { filter: NO_FILTER, includeDeleted: false };

  return {
    'the settings of the organization, which requests read with their credential': callerOf,
    'statistics of all memories': counting(undefined),
    'statistics of a filter that 2 % match': counting({ kind: RARE_KIND }),
    'the 20 newest memories': async (organization) => listRecent(deps, await callerOf(organization), scope, 20),
    'the first 20 changes': async (organization) =>
      listChanges(deps, await callerOf(organization), scope, { since: 0, limit: 20 }),
    'search by vector': searching({}),
    'search by vector, with a filter that 2 % match': searching({ filter: { kind: RARE_KIND } }),
    'search by words': searching({ mode: 'keyword' }),
    'search by both': searching({ mode: 'hybrid' }),
    'one new memory': async (organization) => {
      const caller = await callerOf(organization);
      const { memory } = await ingest(deps, caller, inputOf(corpus));
      createdOf.set(caller.organizationId, [...(createdOf.get(caller.organizationId) ?? []), memory.id]);
    },
    'new content of a memory': async (organization) => {
      const caller = await callerOf(organization);
      const { content } = inputOf(corpus);
      return updateMemory(deps, caller, createdOf.get(caller.organizationId)?.at(-1) ?? '', { content });
    },
    'a deletion': async (organization) => {
      const caller = await callerOf(organization);
      return deleteMemory(deps, caller, createdOf.get(caller.organizationId)?.pop() ?? '');
    },
    [`a batch of ${BATCH} new memories`]: async (organization) => {
      const items = Array.from({ length: BATCH }, () => ({ input: inputOf(corpus) }));
      return ingestBatch(deps, await callerOf(organization), items, true);
    },
  } satisfies Record<string, Operation>;
}

function inputOf(corpus: Corpus) {
  const { content, metadata } = corpus.next();
  return { content, metadata };
}

const NO_LIMIT = {
  bodyBytes: Number.MAX_SAFE_INTEGER,
  batchBodyBytes: Number.MAX_SAFE_INTEGER,
  codeHostBodyBytes: Number.MAX_SAFE_INTEGER,
  requestsInFlight: Number.MAX_SAFE_INTEGER,
};

const OWNER: Omit<Caller, 'organizationId'> = {
  role: 'owner',
  actor: { type: 'system', id: 'bench' },
  abilities: ABILITIES,
  credentialId: 'bench',
  requestId: 'bench',
  source: 'operator',
};

function average(before: DatabaseWork, after: DatabaseWork): string[] {
  const counts = [
    after.commands - before.commands,
    after.documentsRead - before.documentsRead,
    after.keysRead - before.keysRead,
    after.documentsWritten - before.documentsWritten,
  ];
  return counts.map((count) => {
    const each = count / REPEATED;
    return each < 10 ? String(Number(each.toFixed(1))) : Math.round(each).toLocaleString('en');
  });
}

async function bytesOf({ db }: BenchDatabase, size: number): Promise<Record<string, number>> {
  const of = async (collection: string) => {
    const { storageSize, totalIndexSize } = await db.command({ collStats: collection });
    return { documents: Number(storageSize) / size, indexes: Number(totalIndexSize) / size };
  };
  const [memories, facets] = [await of('memories'), await of('facet_counts')];
  return {
    [`document with a vector of ${DIMENSIONS} dimensions, as stored`]: memories.documents,
    'its index entries, without the vector index': memories.indexes,
    'its share of `facet_counts`': facets.documents,
    'its share of the indexes of `facet_counts`': facets.indexes,
  };
}
