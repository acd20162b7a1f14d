import type { MemoryClient, SearchRequest, SearchResult } from '@memory-service/sdk';

/** Something that the documents answer, and which of them do. */
export interface Question {
  search: SearchRequest;
  /** What this question shows; empty for a plain search by meaning. */
  note: string;
  /** What the id of a right document begins with. */
  expected: string;
}

/** About packages that the repository depends on directly, so that they are always there. */
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

/** An expected document has to be among so many results. */
export const TOP = 3;

export interface Answer {
  question: Question;
  results: readonly SearchResult[];
  /** Place of the first expected document, from 1; undefined when there is none. */
  rank: number | undefined;
}

/** Asks one question and looks for a document that should answer it. */
export async function ask(client: MemoryClient, question: Question, signal: AbortSignal): Promise<Answer> {
  const { results } = await client.search({ ...question.search, limit: TOP }, { signal });
  const at = results.findIndex(({ metadata }) => String(metadata.documentId).startsWith(question.expected));
  return { question, results, rank: at < 0 ? undefined : at + 1 };
}

/** Milliseconds that each of the searches takes, one after the other, the way through HTTP included. */
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
