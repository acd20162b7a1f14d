import type { SharedResource } from '../../domain/fairness/shared-resource.js';
import type { RelevanceCurve } from '../../domain/retrieval/relevance.js';
import type { Embedder, EmbedderStatus, EmbeddingPurpose } from '../../ports/embedder.js';
import { divide } from './batches.js';
import { cutText } from './long-text.js';
import { readScores, readVectors, toUnitLength } from './requests/answer.js';
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

/** Like `EmbedCall` for lists of texts, where each text may be embedded with regard to the others of its list. */
export type EmbedListsCall = (
  lists: readonly (readonly string[])[],
  purpose: EmbeddingPurpose,
  signal: AbortSignal,
) => Promise<readonly unknown[]>;

/** One request to a model that compares texts with a query: its answer, unchecked. Throws like `EmbedCall`. */
export type RerankCall = (query: string, texts: readonly string[], signal: AbortSignal) => Promise<unknown>;

/** Embeds each text by itself. */
export function eachAlone(call: EmbedCall): EmbedListsCall {
  return (lists, purpose, signal) => call(lists.flat(), purpose, signal);
}

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
  /**
   * The most tokens of a list of texts, by estimate. Longer lists are divided. Longer texts are cut, and the vectors of
   * their pieces averaged.
   */
  tokensPerList: number;
}

/** Tokens of all texts of one `rerank`, by estimate. Voyage accepts 600,000, and longer texts have an equal share each. */
const RERANKED_TOKENS = 400_000;
/** Requests that one `embed` has under way, so that a large batch leaves room for others. */
const CONCURRENT_CALLS = 4;
/** Tokens that a provider adds to each text: marks of its begin and end, and at Voyage a prompt. */
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
  readonly rerank?: NonNullable<Embedder['rerank']>;
  private readonly guard: ProviderGuard;

  /**
   * @param random from 0 to 1, for the pauses between tries
   * @param rerankCall if given, the embedder also reranks
   */
  constructor(
    private readonly model: RemoteModel,
    private readonly call: EmbedListsCall,
    random: () => number = Math.random,
    rerankCall?: RerankCall,
  ) {
    this.fingerprint = `${model.provider}|${model.model}|${model.dimensions}`;
    this.dimensions = model.dimensions;
    this.semanticDedupeThreshold = model.semanticDedupeThreshold;
    this.relevanceCurve = model.relevanceCurve ?? [];
    const guard = new ProviderGuard(model.provider, random);
    this.guard = guard;
    if (!rerankCall) return;
    this.rerank = async (query, texts, tenant) => {
      if (texts.length === 0) return [];
      const beginnings = texts.map((text) => cutText(text, RERANKED_TOKENS / texts.length)[0] ?? '');
      const attempt = async (signal: AbortSignal) =>
        readScores(await rerankCall(query, beginnings, signal), texts.length);
      return guard.run(attempt, tenant);
    };
  }

  get sharedResources(): readonly SharedResource[] {
    return [this.guard.calls];
  }

  async embed(texts: readonly string[], purpose: EmbeddingPurpose, tenant?: string): Promise<Float32Array[]> {
    const lists = texts.map((text) => [text]);
    return (await this.embedLists(lists, purpose, tenant)).flat();
  }

  status(): EmbedderStatus {
    return this.guard.status();
  }

  protected async embedLists(
    lists: readonly (readonly string[])[],
    purpose: EmbeddingPurpose,
    tenant: string | undefined,
  ): Promise<Float32Array[][]> {
    const piecesByList = lists.map((texts) => texts.map((text) => cutText(text, this.model.tokensPerList)));
    const batches = this.divide(piecesByList.map((piecesByText) => piecesByText.flat()));
    const answers = await mapConcurrently(batches, (batch) => this.embedBatch(batch, purpose, tenant));
    const vectors = answers.flat();
    return piecesByList.map((piecesByText) =>
      piecesByText.map((pieces) => meanDirection(pieces, vectors.splice(0, pieces.length))),
    );
  }

  private divide(lists: readonly (readonly string[])[]): string[][][] {
    const { textsPerCall, tokensPerCall, tokensPerList } = this.model;
    const shortLists = lists.flatMap((texts) =>
      divide(texts.map(sized), { texts: textsPerCall, tokens: tokensPerList }),
    );
    const batches = divide(shortLists, { texts: textsPerCall, tokens: tokensPerCall });
    return batches.map((batch) => batch.items.map((list) => list.items.map(({ text }) => text)));
  }

  private async embedBatch(
    lists: readonly (readonly string[])[],
    purpose: EmbeddingPurpose,
    tenant: string | undefined,
  ): Promise<Float32Array[]> {
    const vectors = await this.guard.run(async (signal) => {
      try {
        return readVectors(await this.call(lists, purpose, signal), lists.flat().length, this.dimensions);
      } catch (error) {
        if (isTooLarge(error) && isDivisible(lists)) return undefined;
        throw error;
      }
    }, tenant);
    return vectors ?? this.embedHalves(lists, purpose, tenant);
  }

  /** Sends one half after the other, so that nothing more is begun once a part has failed. */
  private async embedHalves(
    lists: readonly (readonly string[])[],
    purpose: EmbeddingPurpose,
    tenant: string | undefined,
  ): Promise<Float32Array[]> {
    const parts = partsOf(lists);
    const middle = Math.ceil(parts.length / 2);
    const first = await this.embedBatch(parts.slice(0, middle), purpose, tenant);
    const second = await this.embedBatch(parts.slice(middle), purpose, tenant);
    const vectors = [...first, ...second];
    return lists.flat().length === 1 ? [meanDirection(parts.flat(), vectors)] : vectors;
  }
}

function sized(text: string) {
  return { text, texts: 1, tokens: estimateTokens(text) + TOKENS_BESIDE_TEXT };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof ProviderStatusError && error.isTooLarge;
}

function isDivisible(lists: readonly (readonly string[])[]): boolean {
  const texts = lists.flat();
  return texts.length > 1 || (texts[0]?.length ?? 0) > SHORT_TEXT;
}

/** Returns the lists, if there are several; else the halves of the only one, or the pieces of its only text. */
function partsOf(lists: readonly (readonly string[])[]): (readonly string[])[] {
  const [only = []] = lists;
  if (lists.length > 1) return [...lists];
  if (only.length > 1) {
    const middle = Math.ceil(only.length / 2);
    return [only.slice(0, middle), only.slice(middle)];
  }
  const [text = ''] = only;
  return cutText(text, estimateTokens(text) / 2).map((piece) => [piece]);
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
