import type { Memory, SearchResult } from '@memory-service/sdk';
import { type Column, formatFields, oneLine } from './table.js';

const ID_AND_GAPS = 36 + 2 * 4 + 20;
const MIN_TEXT_LENGTH = 24;

/** Formats a memory, with its unchanged content last. */
export function formatMemory({ content, ...fields }: Memory): string {
  return `${formatFields(fields)}\n\n${printable(content)}`;
}

export function memoryColumns(width: number): Column<Memory>[] {
  return [idColumn, createdColumn, textColumn(width)];
}

/** @param isGrouped adds the number of other chunks that match */
export function resultColumns(width: number, isGrouped = false): Column<SearchResult>[] {
  const score: Column<SearchResult> = { heading: 'score', text: (result) => result.score.toFixed(3), align: 'right' };
  const others: Column<SearchResult> = {
    heading: 'others',
    text: ({ group }) => (group ? String(group.others) : ''),
    align: 'right',
  };
  return [idColumn, score, ...(isGrouped ? [others] : []), textColumn(width)];
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

const idColumn: Column<Memory> = { heading: 'id', text: ({ id }) => id };

const createdColumn: Column<Memory> = { heading: 'created', text: ({ createdAt }) => createdAt.slice(0, 19) };

function textColumn(width: number): Column<Memory> {
  return {
    heading: 'text',
    text: ({ content }) => oneLine(content, Math.max(MIN_TEXT_LENGTH, width - ID_AND_GAPS)),
  };
}

/** Removes control characters, which could control the terminal, except line breaks and tabs. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '');
}
