import type { AppEnv } from './config.js';
import type { EnvReader } from './env-reader.js';

export interface EmbeddingConfig {
  provider: (typeof PROVIDERS)[number];
  model?: string;
  dimensions?: number;
  apiKey?: string;
  baseUrl?: string;
  semanticDedupeThreshold?: number;
}

const PROVIDERS = ['local', 'voyage', 'openai'] as const;

/** The names of the variables that configure one embedder. */
type EmbedderVariables = Readonly<Record<'provider' | 'model' | 'dimensions' | 'apiKey' | 'baseUrl', string>>;

const EMBEDDING_VARIABLES: EmbedderVariables = {
  provider: 'SERVICE_EMBEDDING_PROVIDER',
  model: 'SERVICE_EMBEDDING_MODEL',
  dimensions: 'SERVICE_EMBEDDING_DIMENSIONS',
  apiKey: 'SERVICE_EMBEDDING_API_KEY',
  baseUrl: 'SERVICE_EMBEDDING_BASE_URL',
};

const FORMER_EMBEDDING_VARIABLES: EmbedderVariables = {
  provider: 'SERVICE_FORMER_EMBEDDING_PROVIDER',
  model: 'SERVICE_FORMER_EMBEDDING_MODEL',
  dimensions: 'SERVICE_FORMER_EMBEDDING_DIMENSIONS',
  apiKey: 'SERVICE_FORMER_EMBEDDING_API_KEY',
  baseUrl: 'SERVICE_FORMER_EMBEDDING_BASE_URL',
};

export function readEmbedding(read: EnvReader, appEnv: AppEnv): EmbeddingConfig {
  if (appEnv === 'production' && read.text('SERVICE_EMBEDDING_PROVIDER') === undefined) {
    read.faults.push(`set SERVICE_EMBEDDING_PROVIDER to one of ${PROVIDERS.join(', ')}: production has no default`);
  }
  return readEmbedder(read, EMBEDDING_VARIABLES);
}

/** Returns undefined if no former provider is set. */
export function readFormerEmbedding(read: EnvReader): EmbeddingConfig | undefined {
  if (read.text(FORMER_EMBEDDING_VARIABLES.provider) === undefined) return undefined;
  return readEmbedder(read, FORMER_EMBEDDING_VARIABLES);
}

function readEmbedder(read: EnvReader, names: EmbedderVariables): EmbeddingConfig {
  const provider = read.oneOf(names.provider, PROVIDERS, 'local');
  const apiKey = read.text(names.apiKey) ?? (provider === 'voyage' ? read.text('VOYAGE_API_KEY') : undefined);
  return definedOnly({
    provider,
    model: read.text(names.model),
    dimensions: read.optionalNumber(names.dimensions, 1, 8_192, true),
    apiKey,
    baseUrl: read.text(names.baseUrl),
    semanticDedupeThreshold: read.optionalNumber('SERVICE_SEMANTIC_DEDUPE_THRESHOLD', 0, 1, false),
  });
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

function definedOnly<T extends Pick<EmbeddingConfig, 'provider'>>(
  options: T,
): Partial<Defined<T>> & Pick<T, 'provider'> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...(Object.fromEntries(entries) as Partial<Defined<T>>), provider: options.provider };
}
