import type { SharedResource } from '../../domain/fairness/shared-resource.js';
import type { RelevanceCurve } from '../../domain/retrieval/relevance.js';
import type { Embedder, EmbedderStatus, EmbeddingPurpose } from '../../ports/embedder.js';
import { divide } from './batches.js';
import { cutText } from './long-text.js';
import { readVectors, toUnitLength } from './requests/answer.js';
import { ProviderStatusError } from './requests/provider-error.js';
import { ProviderGuard } from './requests/provider-guard.js';
import { estimateTokens } from './token-estimate.js';

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

export interface RemoteModel {
  provider: string;
  model: string;
  dimensions: number;
  semanticDedupeThreshold: number;
  /** Default: relevance is the similarity. */
  relevanceCurve?: RelevanceCurve;
  /** The most texts that one request may hold. */
  textsPerCall: number;
  /** The most tokens that one request may hold, by estimate. A longer text goes alone. */
  tokensPerCall: number;
  /** Longer texts, by estimate, are cut, and the vectors of their pieces averaged. */
  tokensPerText: number;
}

/** Requests that one `embed` has under way, so that a large batch leaves room for others. */
const CONCURRENT_CALLS = 4;
/** What a provider adds to each text: marks of its begin and end, and at Voyage a sentence that tells its use. */
const TOKENS_BESIDE_TEXT = 12;
/** UTF-16 code units of a text that is not cut again if the provider rejects it as too long. */
const SHORT_TEXT = 200;

/**
 * Embeds texts with a model behind an API, through a `ProviderGuard`: in batches that are within the limits of the
 * provider by estimate, each answer checked before it is used. A batch that the provider still rejects as too large is
 * sent in two halves.
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

  private divide(pieces: readonly string[]): string[][] {
    const { textsPerCall, tokensPerCall } = this.model;
    const sized = pieces.map((text) => ({ text, texts: 1, tokens: estimateTokens(text) + TOKENS_BESIDE_TEXT }));
    const batches = divide(sized, { texts: textsPerCall, tokens: tokensPerCall });
    return batches.map(({ items }) => items.map(({ text }) => text));
  }

  private async embedBatch(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    tenant: string | undefined,
  ): Promise<Float32Array[]> {
    const vectors = await this.guard.run(async (signal) => {
      try {
        return readVectors(await this.call(texts, purpose, signal), texts.length, this.dimensions);
      } catch (error) {
        if (isTooLarge(error) && isDivisible(texts)) return undefined;
        throw error;
      }
    }, tenant);
    return vectors ?? this.embedHalves(texts, purpose, tenant);
  }

  /** Sends one half after the other, so that nothing more is begun once a part has failed. */
  private async embedHalves(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    tenant: string | undefined,
  ): Promise<Float32Array[]> {
    const [only = '', ...others] = texts;
    const parts = others.length === 0 ? cutInHalf(only) : [...texts];
    const middle = Math.ceil(parts.length / 2);
    const first = await this.embedBatch(parts.slice(0, middle), purpose, tenant);
    const second = await this.embedBatch(parts.slice(middle), purpose, tenant);
    const vectors = [...first, ...second];
    return others.length === 0 ? [meanDirection(parts, vectors)] : vectors;
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof ProviderStatusError && error.isTooLarge;
}

function isDivisible(texts: readonly string[]): boolean {
  return texts.length > 1 || (texts[0]?.length ?? 0) > SHORT_TEXT;
}

/** Cuts a text into two pieces of about the same length, or three. */
function cutInHalf(text: string): string[] {
  return cutText(text, estimateTokens(text) / 2);
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
