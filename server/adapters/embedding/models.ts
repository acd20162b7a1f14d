/** The known properties of a model of a provider. An unknown model is used as configured. */
export interface KnownModel {
  /** Size of its vectors, unless another one is asked for. */
  dimensions: number;
  /** Other sizes that may be asked for. */
  otherDimensions?: readonly number[] | 'any smaller';
  /** The longest text that it reads as a whole, or the most that it reads together. */
  tokensPerText: number;
  /** True if it embeds each text with regard to the others of its list. */
  isContextual?: boolean;
}

const SIZED_BY_CALLER: KnownModel = { dimensions: 1_024, otherDimensions: [256, 512, 2_048], tokensPerText: 32_000 };

/** By the documentation of Voyage in 2026. */
export const VOYAGE_MODELS: ReadonlyMap<string, KnownModel> = new Map<string, KnownModel>([
  ['voyage-4-large', SIZED_BY_CALLER],
  ['voyage-4', SIZED_BY_CALLER],
  ['voyage-4-lite', SIZED_BY_CALLER],
  ['voyage-3-large', SIZED_BY_CALLER],
  ['voyage-3.5', SIZED_BY_CALLER],
  ['voyage-3.5-lite', SIZED_BY_CALLER],
  ['voyage-code-3', SIZED_BY_CALLER],
  ['voyage-context-4', { ...SIZED_BY_CALLER, isContextual: true }],
  ['voyage-context-3', { ...SIZED_BY_CALLER, isContextual: true }],
  ['voyage-3', { dimensions: 1_024, tokensPerText: 32_000 }],
  ['voyage-3-lite', { dimensions: 512, tokensPerText: 32_000 }],
  ['voyage-finance-2', { dimensions: 1_024, tokensPerText: 32_000 }],
  ['voyage-multilingual-2', { dimensions: 1_024, tokensPerText: 32_000 }],
  ['voyage-law-2', { dimensions: 1_024, tokensPerText: 16_000 }],
  ['voyage-large-2-instruct', { dimensions: 1_024, tokensPerText: 16_000 }],
  ['voyage-code-2', { dimensions: 1_536, tokensPerText: 16_000 }],
  ['voyage-large-2', { dimensions: 1_536, tokensPerText: 16_000 }],
  ['voyage-2', { dimensions: 1_024, tokensPerText: 4_000 }],
]);

/** By the documentation of OpenAI in 2026. */
export const OPENAI_MODELS: ReadonlyMap<string, KnownModel> = new Map<string, KnownModel>([
  ['text-embedding-3-small', { dimensions: 1_536, otherDimensions: 'any smaller', tokensPerText: 8_191 }],
  ['text-embedding-3-large', { dimensions: 3_072, otherDimensions: 'any smaller', tokensPerText: 8_191 }],
  ['text-embedding-ada-002', { dimensions: 1_536, tokensPerText: 8_191 }],
]);

/**
 * Returns the size of vectors to ask of a model. Undefined for the model's own, unless the model has others too: a model
 * with one size may reject the parameter.
 *
 * @throws {Error} naming the environment variable to set, if the model has no vectors of the configured size
 */
export function dimensionsToAsk(
  model: string,
  known: KnownModel | undefined,
  wanted: number | undefined,
): number | undefined {
  if (wanted !== undefined && !(Number.isInteger(wanted) && wanted > 0)) {
    throw new Error('set SERVICE_EMBEDDING_DIMENSIONS to a positive integer, or unset it');
  }
  if (!known || wanted === undefined) return wanted;
  const { dimensions, otherDimensions: others } = known;
  const isOther = others === 'any smaller' ? wanted < dimensions : others?.includes(wanted);
  if (!isOther && wanted !== dimensions) {
    throw new Error(`unset SERVICE_EMBEDDING_DIMENSIONS, or set it to a size of ${model}: ${sizesOf(known)}`);
  }
  return others === undefined ? undefined : wanted;
}

function sizesOf({ dimensions, otherDimensions: others = [] }: KnownModel): string {
  if (others === 'any smaller') return `1 to ${dimensions}`;
  return [dimensions, ...others].sort((one, other) => one - other).join(', ');
}
