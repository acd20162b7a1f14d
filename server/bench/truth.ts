import usearch from 'usearch';
import { LocalEmbedder } from '../adapters/embedding/local/local-embedder.js';

const THREADS = 2;

/** Computes the exact results with a full scan of the float32 vectors of all contents. */
export class Truth {
  private readonly embedder: LocalEmbedder;
  private readonly ids: string[] = [];
  private vectors = new Float32Array();
  private readonly isAsked: boolean;

  /** @param isAsked false if nothing asks for the closest contents, so that none are kept */
  constructor(dimensions: number, isAsked = true) {
    this.isAsked = isAsked;
    this.embedder = new LocalEmbedder({ dimensions });
  }

  async add(entries: readonly { id: string; content: string }[]): Promise<void> {
    if (!this.isAsked) return;
    const { dimensions } = this.embedder;
    const made = await this.embedder.embed(
      entries.map(({ content }) => content),
      'document',
    );
    const grown = new Float32Array(this.vectors.length + made.length * dimensions);
    grown.set(this.vectors);
    for (const [n, vector] of made.entries()) grown.set(vector, this.vectors.length + n * dimensions);
    this.vectors = grown;
    for (const { id } of entries) this.ids.push(id);
  }

  /** Returns the ids of the closest contents. */
  async closest(query: string, limit: number): Promise<string[]> {
    const { dimensions } = this.embedder;
    const [vector] = await this.embedder.embed([query], 'query');
    if (!vector) throw new Error('the embedder returned no vector');
    const { keys } = usearch.exactSearch(this.vectors, vector, dimensions, limit, usearch.MetricKind.Cos, THREADS);
    return Array.from(keys, (key) => this.ids[Number(key)] ?? '');
  }
}
