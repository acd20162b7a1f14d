import type { MemoryClient } from '@memory-service/sdk';
import { useState } from 'preact/hooks';
import { usePlace } from '../../data/organization.js';
import { Menu } from '../../kit/controls/menu.js';
import { Dialog } from '../../kit/feedback/dialog.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { useToast } from '../../kit/feedback/toast.js';

const FORMATS = {
  ndjson: { label: 'Lines of JSON (NDJSON)', type: 'application/x-ndjson' },
  csv: { label: 'Table (CSV)', type: 'text/csv' },
} as const;

type Format = keyof typeof FORMATS;

const PAGE_SIZE = 500;
/** Retries of one page. The files of a long export take many requests. */
const RETRIES = 3;

interface ExportButtonsProps {
  query: NonNullable<Parameters<MemoryClient['audit']['export']>[0]>;
}

/** Saves the events that match the filters as a file. */
export function ExportButtons({ query }: ExportButtonsProps) {
  const { client } = usePlace();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const run = (format: Format) => async () => {
    if (busy) return;
    setBusy(true);
    try {
      const texts: string[] = [];
      const pages = client.audit.export({ ...query, format, limit: PAGE_SIZE }, { maxRetries: RETRIES });
      for await (const text of pages) texts.push(text);
      save(new Blob(texts, { type: FORMATS[format].type }), `audit-events.${format}`);
      toast({ text: 'Exported' });
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
  };
  return (
    <>
      <Menu
        label="Formats"
        align="end"
        button={
          <>
            {busy ? 'Exporting…' : 'Export'} <span aria-hidden="true">▾</span>
          </>
        }
        items={(['ndjson', 'csv'] as const).map((format) => ({ label: FORMATS[format].label, run: run(format) }))}
      />
      {failure !== undefined && (
        <Dialog title="The export failed" onClose={() => setFailure(undefined)}>
          <FailureNotice error={failure} />
        </Dialog>
      )}
    </>
  );
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
