import type { Collection, Dataset, Question } from '../dataset.js';
import { FACTS } from './facts.js';
import { PARAPHRASES } from './paraphrases.js';
import { QUESTIONS } from './questions.js';

/** The set of the repository: facts and the questions about them. */
export function ownSet(): Dataset {
  return { name: 'own', collections: [{ name: 'facts', documents: facts(), questions: ownQuestions() }] };
}

/** Queries that share no word that carries meaning with their document, which stands among all facts. */
export function paraphraseSet(): Dataset {
  const pairs = linesOf(PARAPHRASES).map((line, n) => {
    const [document, query] = fieldsOf(line);
    return { key: `pair-${n}`, document, query };
  });
  const collection: Collection = {
    name: 'paraphrases',
    documents: new Map([...pairs.map(({ key, document }) => [key, document] as const), ...facts()]),
    questions: pairs.map(({ key, query }) => ({ text: query, category: 'paraphrase', evidence: [key] })),
  };
  return { name: 'paraphrases', collections: [collection] };
}

function facts(): Map<string, string> {
  return new Map(
    linesOf(FACTS).map((line) => {
      const end = line.indexOf(': ');
      return [line.slice(0, end), line.slice(end + 2)];
    }),
  );
}

function ownQuestions(): Question[] {
  return Object.entries(QUESTIONS).flatMap(([category, list]) =>
    linesOf(list).map((line) => {
      const [text, keys] = fieldsOf(line);
      return { text, category, evidence: keys.split(', ') };
    }),
  );
}

function linesOf(list: string): string[] {
  return list.trim().split('\n');
}

function fieldsOf(line: string): [first: string, second: string] {
  const [first = '', second = ''] = line.split(' | ');
  return [first, second];
}
