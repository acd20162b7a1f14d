import type { Memory } from '@memory-service/sdk';
import { oneLine } from '../tools/texts.js';
import { cutToTokens, estimateTokens } from './tokens.js';

/** Memories under a heading, the most useful ones first. */
export interface Section {
  heading: string;
  memories: readonly Memory[];
}

/** A text for a prompt. */
export interface Composed {
  text: string;
  /** Estimated length of the text. */
  tokens: number;
  memoryIds: string[];
  /** The number of memories that did not fit. */
  omitted: number;
}

const DATE_CHARS = 'YYYY-MM-DD'.length;
/** Share of the room that a section leaves to the sections after it. */
const LEFT_TO_OTHERS = 1 / 4;
/** Largest share of the text that one memory may take. */
const ONE_MEMORY = 1 / 3;
/** A shorter beginning of a memory says too little. */
const MIN_LINE_TOKENS = 12;

/**
 * Writes memories as a text of at most `maxTokens`, one line each. Long ones are cut. Each section leaves some room to
 * the later ones, and gets what they do not need.
 */
export function compose(sections: readonly Section[], maxTokens: number, title?: string): Composed {
  const filled = sections.filter(({ memories }) => memories.length > 0);
  const chosen = filled.map((): Map<string, string> => new Map());
  // A line break is counted for each line.
  let room = maxTokens - costOf(title) - filled.reduce((sum, { heading }) => sum + costOf(heading), 0);
  const longest = Math.floor(room * ONE_MEMORY);
  const fill = (index: number, isLast: boolean) => {
    const reserve = isLast ? 0 : Math.floor(room * LEFT_TO_OTHERS);
    for (const memory of filled[index]?.memories ?? []) {
      if (chosen[index]?.has(memory.id)) continue;
      const line = cutToTokens(toLine(memory), Math.min(longest, room - reserve - 1));
      if (costOf(line) > room - reserve || isTooShort(line)) continue;
      chosen[index]?.set(memory.id, line);
      room -= costOf(line);
    }
  };
  for (const index of filled.keys()) fill(index, index === filled.length - 1);
  for (const index of filled.keys()) fill(index, true);

  const lines = filled.flatMap(({ heading, memories }, index) => {
    const kept = memories.map(({ id }) => chosen[index]?.get(id)).filter((line) => line !== undefined);
    return kept.length === 0 ? [] : [heading, ...kept];
  });
  const text = [...(title === undefined ? [] : [title]), ...lines].join('\n');
  const memoryIds = chosen.flatMap((each) => [...each.keys()]);
  const total = filled.reduce((sum, { memories }) => sum + memories.length, 0);
  return { text, tokens: estimateTokens(text), memoryIds, omitted: total - memoryIds.length };
}

function toLine({ createdAt, content }: Memory): string {
  return `- ${createdAt.slice(0, DATE_CHARS)} ${oneLine(content)}`;
}

function costOf(line: string | undefined): number {
  return line === undefined ? 0 : estimateTokens(line) + 1;
}

function isTooShort(line: string): boolean {
  return line.endsWith('…') && estimateTokens(line) < MIN_LINE_TOKENS;
}
