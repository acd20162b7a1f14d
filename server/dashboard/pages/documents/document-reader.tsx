import { useInfiniteQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { keyOf, usePlace, useWrite } from '../../data/organization.js';
import { Button, ButtonLink } from '../../kit/controls/button.js';
import { MemoryText } from '../../kit/display/memory-text.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { Time } from '../../kit/display/time.js';
import { ConfirmDialog } from '../../kit/feedback/confirm-dialog.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { LoadMore } from '../../kit/feedback/load-more.js';
import { useToast } from '../../kit/feedback/toast.js';
import { numberText } from '../../kit/text/number-text.js';
import { Chunks, type DocumentName, sizeOf } from './document-parts.js';
import styles from './documents-page.module.css';

/** A document with its chunks joined, part by part. */
export function DocumentReader({ documentId, subjectKey }: DocumentName) {
  const { client, organization, can, href } = usePlace();
  const { route } = useLocation();
  const [isDeleting, setIsDeleting] = useState(false);
  const queries = useQueryClient();
  const toast = useToast();
  const subject = subjectKey === undefined ? {} : { subjectKey };
  const query = useInfiniteQuery({
    queryKey: keyOf(organization.id, 'documents', 'one', documentId, subjectKey),
    queryFn: async ({ pageParam, signal }) =>
      client.documents.get(documentId, { ...subject, from: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ nextChunk }) => nextChunk,
    // Each part is metered.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });
  const remove = useWrite(
    async (write) => {
      let [deleted, remaining] = [0, 1];
      while (remaining > 0) {
        const done = await write.documents.delete(documentId, subject);
        deleted += done.deleted;
        remaining = done.remaining;
      }
      return deleted;
    },
    {
      subjects: ['counts', 'memories'],
      onDone: (deleted) => {
        toast({ text: `Deleted: ${numberText(deleted)} ${deleted === 1 ? 'memory' : 'memories'}` });
        // Only the list: this document can no longer be read.
        void queries.resetQueries({ queryKey: keyOf(organization.id, 'documents', 'list') });
        route(href('/documents'), true);
      },
    },
  );
  const filter = JSON.stringify({ documentId, ...subject });
  const [first] = query.data?.pages ?? [];
  const known = first?.subjectKey ?? subjectKey;
  return (
    <>
      <p class={styles.back}>
        <a href={href('/documents')}>← All documents</a>
      </p>
      <PageHeader
        title="Document"
        description={<MemoryText text={documentId} />}
        actions={
          <>
            <ButtonLink href={href(`/memories?${new URLSearchParams({ filter })}`)}>Show its memories</ButtonLink>
            {first && can('deleteDocument') && <Button onClick={() => setIsDeleting(true)}>Delete</Button>}
          </>
        }
      />
      <DataState query={query} lines={8}>
        {({ pages }) => (
          <>
            {first && (
              <dl class={styles.facts}>
                <div>
                  <dt>Chunks</dt>
                  <dd>
                    <Chunks {...first} />
                  </dd>
                </div>
                {known !== undefined && (
                  <div>
                    <dt>Subject</dt>
                    <dd>
                      <MemoryText text={String(known)} />
                    </dd>
                  </div>
                )}
                <div>
                  <dt>Size</dt>
                  <dd>{sizeOf(first.bytes)}</dd>
                </div>
                <div>
                  <dt>Updated</dt>
                  <dd>
                    <Time value={first.updatedAt} />
                  </dd>
                </div>
              </dl>
            )}
            <article class={styles.content} aria-label="Content">
              {pages.map(({ content }, at) => (
                <MemoryText key={at} text={content} />
              ))}
            </article>
            {query.hasNextPage && (
              <LoadMore
                shown="The document goes on. The next part counts as one search."
                hasMore
                isLoading={query.isFetchingNextPage}
                onMore={() => void query.fetchNextPage()}
              />
            )}
          </>
        )}
      </DataState>
      {isDeleting && first && (
        <ConfirmDialog
          title="Delete the document"
          confirmLabel="Delete"
          typed={documentId}
          onConfirm={() => remove.mutateAsync(undefined)}
          onClose={() => setIsDeleting(false)}
        >
          Its {numberText(first.memories)} {first.memories === 1 ? 'memory' : 'memories'} are deleted. Each stays among
          the deleted memories, where it can be restored.
        </ConfirmDialog>
      )}
    </>
  );
}
