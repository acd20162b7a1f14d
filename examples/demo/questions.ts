import type { MemoryClient, SearchRequest, SearchResult } from '@memory-service/sdk';

/** A question, with the documents that answer it. */
export interface Question {
  search: SearchRequest;
  /** The feature that this question shows. Empty for a plain search by meaning. */
  note: string;
  /** The prefix of the ids of expected documents. */
  expected: string;
}

/** Questions about direct dependencies of the repository, which are always installed. */
export const QUESTIONS: readonly Question[] = [
  {
    search: { query: 'How do I validate data against a JSON schema and read the errors?' },
    note: '',
    expected: 'ajv/',
  },
  {
    search: { query: 'How do I retry a failing call with exponential backoff?' },
    note: '',
    expected: 'cockatiel/',
  },
  {
    search: { query: 'How does control flow through middleware downstream and then upstream?' },
    note: '',
    expected: 'koa/',
  },
  {
    search: { query: 'intercept network requests in tests with a service worker' },
    note: '',
    expected: 'msw/',
  },
  {
    search: { query: 'property based testing in JavaScript' },
    note: '',
    expected: 'fast-check/',
  },
  {
    search: { query: 'redact sensitive data before it is logged', filter: { project: 'pino' } },
    note: 'only of project pino',
    expected: 'pino/docs/redaction.md',
  },
  {
    search: { query: 'hideCursor', mode: 'hybrid' },
    note: 'by meaning and by words: an exact name',
    expected: 'cli-progress/',
  },
];

/** An expected document must be among this many first results. */
export const TOP = 3;

export interface Answer {
  question: Question;
  results: readonly SearchResult[];
  /** Rank of the first expected document, from 1. Undefined if there is none. */
  rank: number | undefined;
}

/** Asks one question and reports the rank of the first expected document. */
export async function ask(client: MemoryClient, question: Question, signal: AbortSignal): Promise<Answer> {
  const { results } = await client.search({ ...question.search, limit: TOP }, { signal });
  const at = results.findIndex(({ metadata }) => String(metadata.documentId).startsWith(question.expected));
  return { question, results, rank: at < 0 ? undefined : at + 1 };
}

/** Measures the milliseconds of each search, one after the other, including HTTP. */
export async function timeSearches(
  client: MemoryClient,
  queries: readonly string[],
  signal: AbortSignal,
): Promise<number[]> {
  const times: number[] = [];
  for (const query of queries) {
    const start = performance.now();
    await client.search({ query }, { signal });
    times.push(performance.now() - start);
  }
  return times;
}
