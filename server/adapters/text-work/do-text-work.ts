import { type RejectionReason, scanTexts } from '../../domain/content-scan/scan.js';
import { type ReadContent, readContent } from '../../domain/retrieval/read-content.js';
import { normalizeContent } from '../../domain/text/content.js';
import type { EmbeddingPurpose } from '../../ports/embedder.js';
import type { LocalModel } from '../../ports/text-work.js';

/** A piece of text work as a worker thread receives it. See `TextRow`. */
export type TextOrder =
  | { kind: 'normalize'; content: string; maxCodePoints: number }
  | { kind: 'read'; content: string; withFormer: boolean }
  | { kind: 'scan'; texts: readonly string[] }
  | { kind: 'embed'; text: string; purpose: EmbeddingPurpose; model: LocalModel };

export type TextResult = string | ReadContent | RejectionReason[] | Float32Array;

let localModel: Promise<typeof import('../embedding/local/local-model.js')> | undefined;

/** @throws {UnprocessableError} if the rules reject the content */
export async function doTextWork(order: TextOrder): Promise<TextResult> {
  if (order.kind === 'scan') return scanTexts(order.texts);
  if (order.kind === 'normalize') return normalizeContent(order.content, order.maxCodePoints);
  if (order.kind === 'read') return readContent(order.content, order.withFormer);
  // The import loads word lists and a table, so it waits until there is a text to embed.
  localModel ??= import('../embedding/local/local-model.js');
  const { embedText } = await localModel;
  return embedText(order.text, order.purpose, order.model);
}
