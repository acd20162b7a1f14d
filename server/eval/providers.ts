/** Environment of the server under test. */
export type ProviderEnv = Readonly<Record<string, string>>;

/** Another provider begins with its own model, whatever is set for the configured one. */
const DEFAULTS = {
  SERVICE_EMBEDDING_MODEL: '',
  SERVICE_EMBEDDING_DIMENSIONS: '',
  SERVICE_EMBEDDING_API_KEY: '',
  SERVICE_EMBEDDING_BASE_URL: '',
};

/**
 * Returns the environments for the embedding providers to measure: the configured one alone, or else the local one and
 * those with a key.
 */
export function providersOf(env: Readonly<Record<string, string | undefined>>): Map<string, ProviderEnv> {
  const { SERVICE_EMBEDDING_PROVIDER: configured, VOYAGE_API_KEY, OPENAI_API_KEY } = env;
  if (configured) return new Map([[configured, {}]]);
  const providers = new Map<string, ProviderEnv>([['local', { SERVICE_EMBEDDING_PROVIDER: 'local' }]]);
  if (VOYAGE_API_KEY) providers.set('voyage', { ...DEFAULTS, SERVICE_EMBEDDING_PROVIDER: 'voyage' });
  if (OPENAI_API_KEY) {
    const openai = { SERVICE_EMBEDDING_PROVIDER: 'openai', SERVICE_EMBEDDING_API_KEY: OPENAI_API_KEY };
    providers.set('openai', { ...DEFAULTS, ...openai });
  }
  return providers;
}
