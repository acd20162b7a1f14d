import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Collection, Dataset } from './dataset.js';

/** The fields that are read of the LoCoMo benchmark (Maharana et al., ACL 2024). */
interface Conversation {
  sample_id: string;
  sessions: { turns: { id: string; speaker: string; text: string }[] }[];
  qa: { question: string; category: number; evidence: string[] }[];
}

const CATEGORIES: Readonly<Record<number, string>> = {
  1: 'multi-hop',
  2: 'temporal',
  3: 'open domain',
  4: 'single-hop',
  5: 'adversarial',
};

/**
 * Reads conversations: every turn is a memory, and every question asks for the turns that are its evidence. The second
 * data set is the same with the turns of each session as the chunks of a document.
 */
export async function readLocomo(path: string): Promise<Dataset[]> {
  const conversations = JSON.parse(await readFile(path, 'utf8')) as Conversation[];
  const collections = conversations.map(toCollection);
  const chunked = collections.map((each, n) => ({ ...each, metadata: chunksOf(conversations[n]?.sessions ?? []) }));
  const name = basename(path, '.json');
  return [
    { name, collections },
    { name: `${name}, sessions as documents`, collections: chunked },
  ];
}

function chunksOf(sessions: Conversation['sessions']): ReadonlyMap<string, Record<string, string | number>> {
  const chunks = sessions.flatMap(({ turns }, session) => {
    const told = turns.filter(hasText);
    return told.map(({ id }, chunkIndex) => {
      return [id, { documentId: `session ${session}`, chunkIndex, chunkTotal: told.length }] as const;
    });
  });
  return new Map(chunks);
}

function toCollection({ sample_id: name, sessions, qa }: Conversation): Collection {
  const turns = sessions.flatMap((session) => session.turns).filter(hasText);
  const documents = new Map(turns.map(({ id, speaker, text }) => [id, `${speaker}: ${text}`]));
  const questions = qa.map(({ question, category, evidence }) => ({
    text: question,
    category: CATEGORIES[category] ?? String(category),
    evidence: [...new Set(evidence)].filter((id) => documents.has(id)),
  }));
  return { name, documents, questions: questions.filter(({ evidence }) => evidence.length > 0) };
}

function hasText({ text }: { text: string }): boolean {
  return text.trim() !== '';
}
