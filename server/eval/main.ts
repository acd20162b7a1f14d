import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { builtPackage } from '../testing/processes/server-process.js';
import { readLocomo } from './locomo.js';
import { measure } from './measure.js';
import { ownSet, paraphraseSet } from './own/own-sets.js';
import { providersOf } from './providers.js';
import { Reranker } from './reranker.js';
import { printTables } from './table.js';

const USAGE = `Measures what the built server finds over HTTP, in each search mode, beside a plain BM25.

  npm run eval -- [options]

  --data PATH      conversations of LoCoMo besides the sets of the repository, each turn alone, then the turns of each
                   session as the chunks of a document; may be repeated
  --modes LIST     vector,keyword,hybrid unless given
  --rerank         also order the best 50 results of each mode by a reranker of Voyage, with the key VOYAGE_API_KEY
  --reranker NAME  model of --rerank: rerank-2.5 unless given
  --server PATH    the dist folder of another build of the server

The variables SERVICE_EMBEDDING_* choose the embedding provider. Without them the local one is measured, and the default
models of Voyage and OpenAI if VOYAGE_API_KEY and OPENAI_API_KEY are set. Providers charge for it: the sets of the
repository have about 10,000 tokens, five conversations of LoCoMo about 220,000, and --rerank sends 1,000 to 2,200
tokens for each question and mode. VOYAGE_BASE_URL is where the reranker is, if not at Voyage.
`;

class UsageError extends Error {
  override name = 'UsageError';
}

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
      rerank: { type: 'boolean', default: false },
      reranker: { type: 'string', default: 'rerank-2.5' },
      server: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return console.log(USAGE);
  const dist = values.server === undefined ? builtPackage('server') : resolve(values.server);
  const reranker = values.rerank ? openReranker(values.reranker) : undefined;
  const sets = [ownSet(), paraphraseSet(), ...(await Promise.all(values.data.map(readLocomo))).flat()];
  for (const [provider, env] of providersOf(process.env)) {
    for (const set of sets) {
      const answers = await measure({ dist, env, modes: values.modes.split(','), reranker }, set);
      printTables(`${set.name}, ${provider}`, answers);
    }
  }
  if (reranker) console.log(`\n${reranker.model} charged ${reranker.tokens} tokens.`);
}

function openReranker(model: string): Reranker {
  const { VOYAGE_API_KEY: apiKey, VOYAGE_BASE_URL: baseUrl } = process.env;
  if (!apiKey) throw new UsageError('--rerank needs the variable VOYAGE_API_KEY');
  return new Reranker(model, { apiKey, ...(baseUrl && { baseUrl }) });
}

function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
