import type { DocumentSummary, SubjectKey } from '@memory-service/sdk';
import { Badge } from '../../kit/display/badge.js';
import { numberText } from '../../kit/text/number-text.js';
import styles from './documents-page.module.css';

/** Names a document of the organization. */
export interface DocumentName {
  documentId: string;
  subjectKey?: SubjectKey;
}

/** Returns the path of a document. Its id is in the query, because it may contain slashes. */
export function addressOf({ documentId, subjectKey }: DocumentName): string {
  const query = new URLSearchParams({ document: documentId });
  if (subjectKey !== undefined) query.set('subject', JSON.stringify(subjectKey));
  return `/documents?${query}`;
}

/** How many chunks are stored, and which ones are missing. */
export function Chunks({ chunks, chunkTotal, missing, gaps }: DocumentSummary) {
  return (
    <div class={styles.chunks}>
      <span class={styles.count}>
        {chunks} of {chunkTotal}
      </span>
      {missing > 0 && (
        <>
          <Badge tone="warning">{missing} missing</Badge>
          <span class={styles.muted}>{gapsOf(gaps)}</span>
        </>
      )}
    </div>
  );
}

/** Gaps that are named. */
const NAMED_GAPS = 3;

function gapsOf(gaps: DocumentSummary['gaps']): string {
  const named = gaps.slice(0, NAMED_GAPS).map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`));
  return `no. ${named.join(', ')}${gaps.length > NAMED_GAPS ? ', …' : ''}`;
}

export function sizeOf(bytes: number): string {
  return bytes < 1_000 ? `${bytes} B` : `${numberText(Number((bytes / 1_000).toFixed(1)))} kB`;
}
