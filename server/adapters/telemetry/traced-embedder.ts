import type { Embedder } from '../../ports/embedder.js';
import { type Tracing, traced } from '../../ports/tracing.js';

/** Returns an embedder with a span for each call, also for each call of a former embedder. */
export function tracedEmbedder(embedder: Embedder, tracing: Tracing): Embedder {
  const start = (texts: number) => ({
    kind: 'call' as const,
    name: 'embed',
    attributes: { 'memory_service.embedder': embedder.fingerprint, 'memory_service.texts': texts },
  });
  const { relevanceCurve, sharedResources, fingerprint, dimensions, semanticDedupeThreshold } = embedder;
  return {
    fingerprint,
    dimensions,
    semanticDedupeThreshold,
    ...(relevanceCurve && { relevanceCurve }),
    ...(sharedResources && { sharedResources }),
    formerOf(former) {
      const found = embedder.formerOf?.(former);
      return found && tracedEmbedder(found, tracing);
    },
    embed: (texts, purpose, tenant) =>
      traced(tracing, start(texts.length), () => embedder.embed(texts, purpose, tenant)),
    ...(embedder.embedChunks && {
      embedChunks: (documents, tenant) =>
        traced(
          tracing,
          start(documents.flat().length),
          async () => (await embedder.embedChunks?.(documents, tenant)) ?? [],
        ),
    }),
    status: () => embedder.status(),
  };
}
