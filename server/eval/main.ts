import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { builtPackage } from '../testing/processes/server-process.js';
import { Bm25 } from './bm25.js';
import type { Dataset } from './dataset.js';
import { readLocomo } from './locomo.js';
import { ownSet, paraphraseSet } from './own/own-sets.js';
import { type Answered, judge, RESULTS } from './scores.js';
import { Service } from './service.js';
import { printTables } from './table.js';

const USAGE = `Measures what the built server finds over HTTP, in each search mode, beside a plain BM25.

  npm run eval -- [options]

  --data PATH      conversations of LoCoMo besides the sets of the repository, each turn alone, then the turns of each
                   session as the chunks of a document; may be repeated
  --modes LIST     vector,keyword,hybrid unless given
  --server PATH    the dist folder of another build of the server

The variables SERVICE_EMBEDDING_* choose the embedding provider.
`;

try {
  await main();
} catch (error) {
  if (!isUsageError(error)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', multiple: true, default: [] },
      modes: { type: 'string', default: 'vector,keyword,hybrid' },
      server: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return console.log(USAGE);
  const dist = values.server === undefined ? builtPackage('server') : resolve(values.server);
  const sets = [ownSet(), paraphraseSet(), ...(await Promise.all(values.data.map(readLocomo))).flat()];
  for (const set of sets) printTables(set.name, await measure(dist, set, values.modes.split(',')));
}

/** Returns the results of each mode, and of BM25, for each question. */
async function measure(dist: string, { collections }: Dataset, modes: readonly string[]) {
  await using service = await Service.start(dist, collections.length);
  const answers = new Map<string, Answered[]>(['BM25', ...modes].map((mode) => [mode, []]));
  for (const collection of collections) {
    const bm25 = new Bm25(collection.documents);
    using asked = await service.store(collection);
    for (const question of collection.questions) {
      answers.get('BM25')?.push(
        judge(
          question,
          bm25.search(question.text, RESULTS).map((key) => [key]),
        ),
      );
      for (const mode of modes) answers.get(mode)?.push(judge(question, await asked.search(question.text, mode)));
    }
  }
  return answers;
}

function isUsageError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
