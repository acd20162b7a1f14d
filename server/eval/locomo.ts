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

/** Reads conversations: every turn is a document, and every question asks for the turns that are its evidence. */
export async function readLocomo(path: string): Promise<Dataset> {
  const conversations = JSON.parse(await readFile(path, 'utf8')) as Conversation[];
  return { name: basename(path, '.json'), collections: conversations.map(toCollection) };
}

function toCollection({ sample_id: name, sessions, qa }: Conversation): Collection {
  const turns = sessions.flatMap((session) => session.turns).filter(({ text }) => text.trim() !== '');
  const documents = new Map(turns.map(({ id, speaker, text }) => [id, `${speaker}: ${text}`]));
  const questions = qa.map(({ question, category, evidence }) => ({
    text: question,
    category: CATEGORIES[category] ?? String(category),
    evidence: [...new Set(evidence)].filter((id) => documents.has(id)),
  }));
  return { name, documents, questions: questions.filter(({ evidence }) => evidence.length > 0) };
}
