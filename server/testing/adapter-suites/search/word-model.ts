import type { Memory } from '../../../domain/memory/memory.js';
import { termsOf } from '../../../domain/retrieval/keyword-terms.js';
import type { ReadScope } from '../../../ports/memory-reader.js';
import type { MemoryModel } from '../model/memory-model.js';

/** Weights of the words of other chunks, by their distance. */
const WEIGHTS: Readonly<Record<number, number>> = { 1: 0.7, 2: 0.35 };

/** Computes BM25 of each memory that a search for one word must return, by scanning all memories. */
export function expectedRelevances(model: MemoryModel, scope: ReadScope, word: string): Map<Memory, number> {
  const term = termsOf(word)[0];
  const lengthOf = ({ content }: Memory) => termsOf(content).length;
  const timesIn = ({ content }: Memory) => termsOf(content).filter((each) => each === term).length;
  const all = [...model.stored.values()].map(({ memory }) => memory);
  const average = all.reduce((sum, memory) => sum + lengthOf(memory), 0) / all.length;
  const having = all.filter((memory) => timesIn(memory) > 0).length;
  const rarity = Math.log(1 + (all.length - having + 0.5) / (having + 0.5));

  const relevanceOf = (memory: Memory) => {
    const { near, isLast } = contextOf(memory, model.active);
    if (timesIn(memory) === 0 && !isLast) return 0;
    const total = (of: (memory: Memory) => number) =>
      near.reduce((sum, { neighbour, weight }) => sum + weight * of(neighbour), of(memory));
    const times = total(timesIn);
    const length = total(lengthOf) / total(() => 1);
    return (rarity * times * 2.2) / (times + 1.2 * (0.6 + (0.4 * length) / average));
  };
  const listed = model.list({ ...scope, order: 'oldest', limit: 1_000 });
  return new Map(
    listed.map((memory) => [memory, relevanceOf(memory)] as const).filter(([, relevance]) => relevance > 0),
  );
}

/** The chunks around a memory. */
interface ChunkContext {
  /** The chunks before and after an active chunk. Of several at one place, the one created last. */
  near: { neighbour: Memory; weight: number }[];
  /** True if the memory is the last at its own place. */
  isLast: boolean;
}

function contextOf(memory: Memory, active: readonly Memory[]): ChunkContext {
  const { documentId, chunkIndex } = memory.metadata;
  if (memory.deletedAt !== undefined || typeof chunkIndex !== 'number') return { near: [], isLast: false };
  const last = new Map<number, Memory>();
  for (const other of [...active].sort((a, b) => a.createdAt - b.createdAt)) {
    const index = other.metadata.chunkIndex;
    const isNear = other.subjectKey === memory.subjectKey && other.metadata.documentId === documentId;
    if (isNear && typeof index === 'number') last.set(index, other);
  }
  return {
    near: Array.from(last, ([index, neighbour]) => ({ neighbour, weight: WEIGHTS[Math.abs(index - chunkIndex)] ?? 0 })),
    isLast: last.get(chunkIndex) === memory,
  };
}
