import type { SubjectErasure } from '@memory-service/sdk';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { keyOf, usePlace, useWrite } from '../../data/organization.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Button } from '../../kit/controls/button.js';
import { CopyField } from '../../kit/controls/copy.js';
import { Field, Input } from '../../kit/controls/field.js';
import { Badge } from '../../kit/display/badge.js';
import { Time } from '../../kit/display/time.js';
import { ConfirmDialog } from '../../kit/feedback/confirm-dialog.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { numberText } from '../../kit/text/number-text.js';
import styles from './settings-page.module.css';

/** Interval of reading the progress. */
const LOOK_AGAIN_MS = 2_000;
const MAX_KEY_LENGTH = 512;

const STATUSES = {
  running: { text: 'Erasing', tone: 'warning' },
  cleaning: { text: 'Cleaning files', tone: 'warning' },
  done: { text: 'Done', tone: 'success' },
  failed: { text: 'Failed', tone: 'danger' },
} as const;

const COUNTS: readonly { name: keyof SubjectErasure['counts']; title: string }[] = [
  { name: 'memories', title: 'Memories' },
  { name: 'versions', title: 'Versions' },
  { name: 'deliveries', title: 'Outbound deliveries' },
  { name: 'auditEvents', title: 'Audit events emptied' },
  { name: 'inboundMemories', title: 'Memories in inbound deliveries' },
];

/** Erases everything about one subject. The address names the erasure, so its receipt can be opened again. */
export function EraseSubject({ type }: { type: 'integer' | 'string' | null }) {
  const [erasureId, setErasureId] = useQueryParam('erasure');
  const [subject, setSubject] = useState('');
  const [asks, setAsks] = useState(false);
  const erase = useWrite((client, subjectKey: string | number) => client.subjects.erase({ subjectKey }), {
    subjects: ['memories'],
    onDone: ({ id }) => {
      setErasureId(id);
      setSubject('');
    },
  });
  const ask = (event: Event) => {
    event.preventDefault();
    setAsks(true);
  };
  return (
    <>
      {type === null ? (
        <p class={styles.note}>The organization uses no subject keys.</p>
      ) : (
        <form class={styles.row} onSubmit={ask}>
          <Field label="Subject key">
            {(control) => (
              <Input
                {...control}
                required
                maxLength={MAX_KEY_LENGTH}
                {...(type === 'integer' && { inputMode: 'numeric', pattern: '-?[0-9]{1,16}', title: 'A whole number' })}
                value={subject}
                onInput={(event) => setSubject(event.currentTarget.value)}
              />
            )}
          </Field>
          <Button type="submit" look="danger">
            Erase…
          </Button>
        </form>
      )}
      {erasureId !== '' && <Receipt id={erasureId} />}
      {asks && (
        <ConfirmDialog
          title="Erase a subject"
          confirmLabel="Erase everything"
          typed={subject}
          onConfirm={() => erase.mutateAsync(type === 'integer' ? Number(subject) : subject)}
          onClose={() => setAsks(false)}
        >
          Everything about <bdi class={styles.strong}>{subject}</bdi> is removed for good. It cannot be restored.
          Backups and exports that exist already keep it.
        </ConfirmDialog>
      )}
    </>
  );
}

/** The progress of an erasure, and its receipt when it is done. */
function Receipt({ id }: { id: string }) {
  const { client, organization } = usePlace();
  const erasure = useQuery({
    queryKey: keyOf(organization.id, 'erasures', id),
    queryFn: ({ signal }) => client.subjects.erasure(id, { signal }),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? LOOK_AGAIN_MS : false),
  });
  return (
    <DataState query={erasure}>
      {({ status, counts, digest, requestedAt, finishedAt }) => (
        <div class={styles.receipt}>
          <p role="status">
            <Badge tone={STATUSES[status].tone}>{STATUSES[status].text}</Badge> Requested{' '}
            <Time value={requestedAt} absolute />
            {finishedAt !== undefined && (
              <>
                , finished <Time value={finishedAt} absolute />
              </>
            )}
          </p>
          {status === 'failed' && <p>The service gave up. Erase the subject again.</p>}
          <dl class={styles.counts}>
            {COUNTS.map(({ name, title }) => (
              <div key={name}>
                <dt>{title}</dt>
                <dd>{numberText(counts[name])}</dd>
              </div>
            ))}
          </dl>
          {status === 'done' && <CopyField label="Digest of the removed memories" value={digest} />}
        </div>
      )}
    </DataState>
  );
}

function isUnderWay(erasure: SubjectErasure | undefined): boolean {
  return erasure?.status === 'running' || erasure?.status === 'cleaning';
}
