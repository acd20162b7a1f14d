import type { SharedResource } from '../../domain/fairness/shared-resource.js';
import type { RelevanceCurve } from '../../domain/retrieval/relevance.js';
import type { Embedder, EmbedderStatus, EmbeddingPurpose } from '../../ports/embedder.js';
import { readVectors, toUnitLength } from './answer.js';
import { cutText } from './long-text.js';
import { ProviderGuard } from './provider-guard.js';

/**
 * One request to a provider, without any care of its own: the answer's vectors
 * in the order of the texts, unchecked.
 *
 * @throws {ProviderStatusError | ProviderUnreachableError | ProviderAnswerError}
 */
export type EmbedCall = (
  texts: readonly string[],
  purpose: EmbeddingPurpose,
  signal: AbortSignal,
) => Promise<readonly unknown[]>;

interface RemoteModel {
  provider: string;
  model: string;
  dimensions: number;
  semanticDedupeThreshold: number;
  /** Default: relevance is the similarity. */
  relevanceCurve?: RelevanceCurve;
  /** The most texts that one request may hold. */
  textsPerCall: number;
  /** UTF-16 code units of all texts of one request; a longer text goes alone. */
  charactersPerCall: number;
  /** Longer texts are cut, and the vectors of their pieces averaged. */
  tokensPerText: number;
}

/** Requests that one `embed` has under way, so that a large batch leaves room for others. */
const CONCURRENT_CALLS = 4;

/**
 * Embeds texts with a model behind an API, through a `ProviderGuard`: in
 * batches, each answer checked before it is used.
 */
export class RemoteEmbedder implements Embedder {
  readonly fingerprint: string;
  readonly dimensions: number;
  readonly semanticDedupeThreshold: number;
  readonly relevanceCurve: RelevanceCurve;
  private readonly guard: ProviderGuard;

  /** @param random from 0 to 1, for the pauses between tries */
  constructor(
    private readonly model: RemoteModel,
    private readonly call: EmbedCall,
    random: () => number = Math.random,
  ) {
    this.fingerprint = `${model.provider}|${model.model}|${model.dimensions}`;
    this.dimensions = model.dimensions;
    this.semanticDedupeThreshold = model.semanticDedupeThreshold;
    this.relevanceCurve = model.relevanceCurve ?? [];
    this.guard = new ProviderGuard(model.provider, random);
  }

  get sharedResources(): readonly SharedResource[] {
    return [this.guard.calls];
  }

  async embed(texts: readonly string[], purpose: EmbeddingPurpose, tenant?: string): Promise<Float32Array[]> {
    const piecesByText = texts.map((text) => cutText(text, this.model.tokensPerText));
    const batches = this.divide(piecesByText.flat());
    const answers = await mapConcurrently(batches, (batch) => this.embedBatch(batch, purpose, tenant));
    const vectors = answers.flat();
    return piecesByText.map((pieces) => meanDirection(pieces, vectors.splice(0, pieces.length)));
  }

  status(): EmbedderStatus {
    return this.guard.status();
  }

  private embedBatch(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    tenant: string | undefined,
  ): Promise<Float32Array[]> {
    return this.guard.run(async (signal) => {
      const answer = await this.call(texts, purpose, signal);
      return readVectors(answer, texts.length, this.dimensions);
    }, tenant);
  }

  private divide(pieces: readonly string[]): string[][] {
    const { textsPerCall, charactersPerCall } = this.model;
    const batches: string[][] = [];
    let characters = 0;
    for (const piece of pieces) {
      const last = batches.at(-1);
      if (last && last.length < textsPerCall && characters + piece.length <= charactersPerCall) {
        last.push(piece);
        characters += piece.length;
      } else {
        batches.push([piece]);
        characters = piece.length;
      }
    }
    return batches;
  }
}

/** The mean of unit vectors, weighted by the lengths of their texts; the first vector where they cancel out. */
function meanDirection(texts: readonly string[], vectors: readonly Float32Array[]): Float32Array {
  const [first] = vectors;
  if (!first) throw new Error('a text has no vector');
  if (vectors.length === 1) return first;
  const sum = new Float64Array(first.length);
  vectors.forEach((vector, at) => {
    const weight = texts[at]?.length ?? 0;
    vector.forEach((value, index) => {
      sum[index] = (sum[index] ?? 0) + weight * value;
    });
  });
  return toUnitLength(sum) ?? first;
}

/** Like Promise.all over `map`, some at a time and in order; after a failure no further item is begun. */
async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item === undefined) return;
      try {
        results[index] = await map(item);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENT_CALLS, items.length) }, work));
  return results;
}
