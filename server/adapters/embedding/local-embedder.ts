import type { Embedder, EmbeddingPurpose } from '../../ports/embedder.js';
import type { TextWork } from '../../ports/text-work.js';

/** Stands for every constant of the local model: a change that changes vectors needs a new name. */
export const LOCAL_MODEL = 'hashed-terms-1';
export const LOCAL_DIMENSIONS = { min: 64, default: 1_024, max: 4_096 };

const SEMANTIC_DEDUPE_THRESHOLD = 0.96;

/**
 * Embeds texts on this machine, without a model file, a key or a network.
 *
 * The same text gives the same bits on every machine. Two texts are close when
 * they share words, forms of words (went, goes, going), neighbouring words, or
 * spelling (typos, compounds, other languages). Rare words count more than
 * common ones: it knows some 1,100 of English and the smallest of seven other
 * languages, and holds given names for less telling than other rare words.
 * Scripts without spaces are compared by characters and pairs of them.
 *
 * It knows no meaning: synonyms, translations and answers in other words than
 * the question's stay far apart, and word order counts little. Up to a few
 * hundred words a text keeps its details; in longer ones they blur.
 *
 * A document and a query of one text are close, but not equal: documents carry
 * a mark of their length (see `Projection`).
 */
export class LocalEmbedder implements Embedder {
  readonly fingerprint: string;
  readonly dimensions: number;
  readonly semanticDedupeThreshold: number;

  /** @param texts where the work is done; at once and here unless given */
  constructor(
    { dimensions = LOCAL_DIMENSIONS.default, semanticDedupeThreshold = SEMANTIC_DEDUPE_THRESHOLD } = {},
    private readonly texts?: TextWork,
  ) {
    this.dimensions = dimensions;
    this.semanticDedupeThreshold = semanticDedupeThreshold;
    this.fingerprint = `local|${LOCAL_MODEL}|${dimensions}`;
  }

  async embed(texts: readonly string[], purpose: EmbeddingPurpose, tenant?: string): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    const row = this.texts?.row(tenant) ?? { embed: embedHere };
    for (const text of texts) vectors.push(await row.embed(text, purpose, this.dimensions));
    return vectors;
  }

  status(): 'ok' {
    return 'ok';
  }
}

async function embedHere(text: string, purpose: EmbeddingPurpose, dimensions: number): Promise<Float32Array> {
  // Its word lists are not read until there is a text.
  const { embedText } = await import('./local-model.js');
  return embedText(text, purpose, dimensions);
}
