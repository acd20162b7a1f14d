import type { Memory, SearchResult } from '@memory-service/sdk';
import { type Column, formatFields } from './table.js';

/** Columns of a text where no terminal limits it. */
export const TEXT_WIDTH = 60;

/** Formats a memory, with its unchanged content last. */
export function formatMemory({ content, ...fields }: Memory): string {
  return `${formatFields(fields)}\n\n${printable(content)}`;
}

const idColumn: Column<Memory> = { heading: 'id', text: ({ id }) => id };

const textColumn: Column<Memory> = { heading: 'text', text: ({ content }) => content, most: TEXT_WIDTH };

export const memoryColumns: readonly Column<Memory>[] = [
  idColumn,
  { heading: 'created', text: ({ createdAt }) => createdAt.slice(0, 19) },
  textColumn,
];

/** @param isGrouped adds the number of other chunks that match */
export function resultColumns(isGrouped = false): Column<SearchResult>[] {
  const score: Column<SearchResult> = { heading: 'score', text: (result) => result.score.toFixed(3), align: 'right' };
  const others: Column<SearchResult> = {
    heading: 'others',
    text: ({ group }) => (group ? String(group.others) : ''),
    align: 'right',
  };
  return [idColumn, score, ...(isGrouped ? [others] : []), textColumn];
}

/** Formats the parts of a score and the words that matched. */
export function formatExplanation({ explanation }: SearchResult): string | undefined {
  if (!explanation) return undefined;
  const { parts, keyword, matchedWords } = explanation;
  const sum = Object.entries(parts).map(([name, share]) => `${name} ${share.toFixed(3)}`);
  const words = matchedWords.map(({ forms }) => forms.join('/'));
  const rank = keyword === undefined ? [] : [`rank ${keyword.rank} by words`];
  return [sum.join(' + '), ...rank, `matched: ${words.join(', ') || 'no word'}`].join('; ');
}

/** Removes control characters, which could control the terminal, except line breaks and tabs. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '');
}
