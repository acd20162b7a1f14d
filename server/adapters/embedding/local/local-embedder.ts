import type { RelevanceCurve } from '../../../domain/retrieval/relevance.js';
import type { Embedder, EmbeddingPurpose } from '../../../ports/embedder.js';
import type { LocalModel, TextWork } from '../../../ports/text-work.js';

/**
 * The models, the usual one first. A name stands for every constant of a model: a change that changes vectors needs a
 * new name. Former models stay, for the memories that were embedded with them.
 */
export const LOCAL_MODELS = ['terms-and-meaning-1', 'hashed-terms-1'] as const;
export const LOCAL_DIMENSIONS = { min: 64, default: 1_024, max: 4_096 };

const SEMANTIC_DEDUPE_THRESHOLD = 0.96;

/**
 * Measured on the own facts of `npm run eval`. The first point is the median of the ten nearest documents that are no
 * answer. At the second, a quarter of the answers are below and about a tenth of those ten are above. The last is the
 * median of a text with itself. docs/search.md has the distributions.
 */
const RELEVANCE_CURVES: Readonly<Record<LocalModel['name'], RelevanceCurve>> = {
  'terms-and-meaning-1': [
    [0.1, 0.2],
    [0.2, 0.5],
    [0.4, 0.8],
    [0.77, 0.95],
  ],
  'hashed-terms-1': [
    [0.075, 0.2],
    [0.17, 0.5],
    [0.35, 0.8],
    [0.81, 0.95],
  ],
};

interface LocalOptions {
  model?: LocalModel['name'];
  dimensions?: number | undefined;
  semanticDedupeThreshold?: number | undefined;
}

/**
 * Embeds texts on this machine, without a key or a network.
 *
 * The same text gives the same bits on every machine. A vector has two parts.
 *
 * - **Terms.** Texts are close when they share words, forms of words (went,
 *   goes, going), neighbouring words, or spelling (typos, compounds, other
 *   languages). Rare words count more than common ones: the lexicon has some
 *   1,100 of English and the smallest of seven other languages, and given
 *   names count less than other rare words. Scripts without spaces are
 *   compared by characters and pairs of them.
 * - **Meaning.** English texts are close when their words mean the like, by a
 *   table of word vectors that comes with the package (see `server/models`).
 *   Texts of other languages have no such part, or a small one.
 *
 * Word order counts little, and translations stay far apart. Up to a few
 * hundred words a text keeps its details; in longer ones they blur. The former
 * model `hashed-terms-1` has terms alone.
 *
 * A document and a query of one text are close, but not equal: documents carry
 * a mark of their length (see `Projection`).
 */
export class LocalEmbedder implements Embedder {
  readonly fingerprint: string;
  readonly dimensions: number;
  readonly semanticDedupeThreshold: number;
  readonly relevanceCurve: RelevanceCurve;
  private readonly model: LocalModel;

  /** @param texts where the work is done; at once and here unless given */
  constructor(
    private readonly options: LocalOptions = {},
    private readonly texts?: TextWork,
  ) {
    const { model: name = LOCAL_MODELS[0], dimensions = LOCAL_DIMENSIONS.default } = options;
    const { semanticDedupeThreshold = SEMANTIC_DEDUPE_THRESHOLD } = options;
    this.model = { name, dimensions };
    this.dimensions = dimensions;
    this.semanticDedupeThreshold = semanticDedupeThreshold;
    this.relevanceCurve = RELEVANCE_CURVES[name];
    this.fingerprint = `local|${name}|${dimensions}`;
  }

  /** Returns the embedder of any model and size. */
  formerOf(fingerprint: string): LocalEmbedder | undefined {
    const options = optionsOf(fingerprint);
    return options && new LocalEmbedder({ ...this.options, ...options }, this.texts);
  }

  async embed(texts: readonly string[], purpose: EmbeddingPurpose, tenant?: string): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    const row = this.texts?.row(tenant) ?? { embed: embedHere };
    for (const text of texts) vectors.push(await row.embed(text, purpose, this.model));
    return vectors;
  }

  status(): 'ok' {
    return 'ok';
  }
}

function optionsOf(fingerprint: string): LocalOptions | undefined {
  const [provider, name, size] = fingerprint.split('|');
  const [model, dimensions] = [LOCAL_MODELS.find((known) => known === name), Number(size)];
  const { min, max } = LOCAL_DIMENSIONS;
  if (provider !== 'local' || !model || !(Number.isInteger(dimensions) && dimensions >= min && dimensions <= max)) {
    return undefined;
  }
  return { model, dimensions };
}

async function embedHere(text: string, purpose: EmbeddingPurpose, model: LocalModel): Promise<Float32Array> {
  // Its word lists and its table are not read until there is a text.
  const { embedText } = await import('./local-model.js');
  return embedText(text, purpose, model);
}
