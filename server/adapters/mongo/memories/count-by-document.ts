import type { DocumentName } from '../../../domain/documents/document.js';
import { facetOf } from '../../../domain/filter/facet.js';
import { subjectText } from '../../../domain/filter/memory-facets.js';
import type { ReadScope } from '../../../ports/memory-reader.js';
import type { Collections } from '../engine/collections.js';
import { scopeFilter } from '../engine/filters.js';
import type { ReadOptions } from '../engine/read-options.js';

/** Counts the memories of each document that match a scope, in the order of the documents. */
export async function countByDocument(
  memories: Collections['memories'],
  org: string,
  scope: ReadScope,
  documents: readonly DocumentName[],
  options: ReadOptions,
): Promise<number[]> {
  if (documents.length === 0) return [];
  const named = documents.map(({ documentId, subjectKey }) => ({
    subject: subjectText(subjectKey),
    facets: facetOf('documentId', documentId),
  }));
  const facets = named.map((name) => name.facets);
  const counted = await memories
    .aggregate<{ _id: { subject: string; facets: string[] }; count: number }>(
      [
        { $match: { $and: [scopeFilter(org, scope), { $or: named }] } },
        // A memory has one documentId, so at most one of these facets. A literal is never evaluated as an expression.
        {
          $group: {
            _id: { subject: '$subject', facets: { $setIntersection: ['$facets', { $literal: facets }] } },
            count: { $sum: 1 },
          },
        },
      ],
      { batchSize: documents.length + 1, ...options },
    )
    .toArray();
  const counts = new Map(counted.map(({ _id, count }) => [keyOf(_id.subject, _id.facets[0]), count]));
  return named.map((name) => counts.get(keyOf(name.subject, name.facets)) ?? 0);
}

function keyOf(subject: string, facet: string | undefined): string {
  return JSON.stringify([subject, facet]);
}
