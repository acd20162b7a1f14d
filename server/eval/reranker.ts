import { VoyageAIClient } from 'voyageai';

/** Orders texts by a model of Voyage AI that reads the query and each text together. */
export class Reranker {
  /** The tokens that the provider has charged so far. */
  tokens = 0;
  private readonly client: VoyageAIClient;

  constructor(
    readonly model: string,
    { apiKey, baseUrl }: { apiKey: string; baseUrl?: string },
  ) {
    this.client = new VoyageAIClient({ apiKey, ...(baseUrl !== undefined && { baseUrl }), logging: { silent: true } });
  }

  /** Returns the positions of the texts, best first. */
  async order(query: string, documents: readonly string[]): Promise<number[]> {
    if (documents.length === 0) return [];
    const { data = [], usage } = await this.client.rerank({ query, documents: [...documents], model: this.model });
    this.tokens += usage?.totalTokens ?? 0;
    const scored = data.map(({ index = -1, relevanceScore = Number.NaN }) => ({ index, relevanceScore }));
    const positions = new Set(scored.map(({ index }) => index));
    if (positions.size !== documents.length || scored.some(({ relevanceScore }) => Number.isNaN(relevanceScore))) {
      throw new Error(`the reranker ${this.model} did not score each of ${documents.length} texts`);
    }
    return scored.sort((one, other) => other.relevanceScore - one.relevanceScore).map(({ index }) => index);
  }
}
