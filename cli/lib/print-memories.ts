import type { Memory, SearchResult } from '../../sdk/index.js';
import { type Column, formatFields, formatTable, oneLine } from './table.js';

const ID_AND_GAPS = 36 + 2 * 4 + 20;
const SHORTEST_TEXT = 24;

/** One memory, its text last and as it is stored. */
export function formatMemory({ content, ...fields }: Memory): string {
  return `${formatFields(fields)}\n\n${printable(content)}`;
}

export function formatMemories(memories: readonly Memory[], width: number, color: boolean): string {
  return formatTable(memories, [idColumn, createdColumn, textColumn(width)], color);
}

export function formatResults(results: readonly SearchResult[], width: number, color: boolean): string {
  const score: Column<SearchResult> = { heading: 'score', text: (result) => result.score.toFixed(3), align: 'right' };
  return formatTable<SearchResult>(results, [idColumn, score, textColumn(width)], color);
}

const idColumn: Column<Memory> = { heading: 'id', text: ({ id }) => id };

const createdColumn: Column<Memory> = { heading: 'created', text: ({ createdAt }) => createdAt.slice(0, 19) };

function textColumn(width: number): Column<Memory> {
  return {
    heading: 'text',
    text: ({ content }) => oneLine(content, Math.max(SHORTEST_TEXT, width - ID_AND_GAPS)),
  };
}

/** Line breaks and tabs stay; what could steer the terminal goes. */
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '');
}
