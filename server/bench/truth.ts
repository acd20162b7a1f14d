import usearch from 'usearch';
import { createEmbedder } from '../adapters/embedding/create-embedder.js';

const THREADS = 2;

/** The right answers: every text's float32 vector, scanned whole. */
export class Truth {
  private readonly embedder: ReturnType<typeof createEmbedder>;
  private readonly ids: string[] = [];
  private vectors: Float32Array;

  constructor(capacity: number, dimensions: number) {
    this.embedder = createEmbedder({ provider: 'local', dimensions });
    this.vectors = new Float32Array(capacity * dimensions);
  }

  async add(entries: readonly { id: string; content: string }[]): Promise<void> {
    const { dimensions } = this.embedder;
    const made = await this.embedder.embed(
      entries.map(({ content }) => content),
      'document',
    );
    for (const [n, { id }] of entries.entries()) {
      const vector = made[n];
      if (!vector) continue;
      this.vectors.set(vector, this.ids.length * dimensions);
      this.ids.push(id);
    }
  }

  /** Ids of the closest texts. */
  async closest(query: string, limit: number): Promise<string[]> {
    const { dimensions } = this.embedder;
    const [vector] = await this.embedder.embed([query], 'query');
    if (!vector) throw new Error('the embedder returned no vector');
    const stored = this.vectors.subarray(0, this.ids.length * dimensions);
    const { keys } = usearch.exactSearch(stored, vector, dimensions, limit, usearch.MetricKind.Cos, THREADS);
    return [...keys].map((key) => this.ids[Number(key)] ?? '');
  }
}
