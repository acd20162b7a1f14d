import { type Embedder, EmbeddingUnavailableError } from '../ports/embedder.js';

const DIMENSIONS = 64;

/**
 * Embeds a text as the counts of its letters, so that a test can see at a
 * glance which texts are close: anagrams are equal, texts without common
 * letters are at right angles. Can be taken out of service.
 */
export class LetterEmbedder implements Embedder {
  readonly dimensions = DIMENSIONS;
  readonly semanticDedupeThreshold: number;
  /** Texts embedded so far. */
  readonly embedded: string[] = [];
  down = false;

  constructor(
    readonly fingerprint = `letters|v1|${DIMENSIONS}`,
    semanticDedupeThreshold = 0.95,
  ) {
    this.semanticDedupeThreshold = semanticDedupeThreshold;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.down) throw new EmbeddingUnavailableError('the test took the embedder down', 1);
    this.embedded.push(...texts);
    return texts.map(letterVector);
  }

  status(): 'ok' | 'down' {
    return this.down ? 'down' : 'ok';
  }
}

function letterVector(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const character of text.toLowerCase()) {
    const code = character.codePointAt(0) ?? 0;
    const at = code % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
