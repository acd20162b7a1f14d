import type { MemoryClient, SearchRequest, SearchResult } from '../../sdk/index.js';

/** Something that the documents answer, and the package whose documents do. */
export interface Question {
  search: SearchRequest;
  /** What this question shows; empty for a plain search by meaning. */
  note: string;
  expected: string;
}

/** About packages that the repository depends on directly, so that they are always there. */
export const QUESTIONS: readonly Question[] = [
  {
    search: { query: 'How do I validate data against a JSON schema and read the errors?' },
    note: '',
    expected: 'ajv',
  },
  {
    search: { query: 'In which order do middleware functions run before and after next?' },
    note: '',
    expected: 'koa',
  },
  {
    search: { query: 'generate random inputs and shrink a failing test to the smallest counterexample' },
    note: '',
    expected: 'fast-check',
  },
  {
    search: { query: 'keep passwords and other secrets out of the log', filter: { project: 'pino' } },
    note: 'filter: project = pino',
    expected: 'pino',
  },
  {
    search: { query: 'what is new in the latest release', filter: { kind: 'changelog' } },
    note: 'filter: kind = changelog',
    expected: 'qs',
  },
  {
    search: { query: 'parseDocument', mode: 'hybrid' },
    note: 'mode: hybrid, an exact name',
    expected: 'yaml',
  },
];

/** The expected package has to be among so many results. */
export const TOP = 3;

export interface Answer {
  question: Question;
  results: readonly SearchResult[];
  /** Place of the expected package, from 1; undefined when it is not among the results. */
  rank: number | undefined;
}

/** Asks one question and looks for the package that should answer it. */
export async function ask(client: MemoryClient, question: Question, signal: AbortSignal): Promise<Answer> {
  const { results } = await client.search({ ...question.search, limit: TOP }, { signal });
  const at = results.findIndex(({ metadata }) => metadata.project === question.expected);
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
