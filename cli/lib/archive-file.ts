import { open, rename, rm } from 'node:fs/promises';
import { type ArchiveHeader, ArchiveTally } from '@memory-service/sdk/archive';

/** Space reserved for the header, which is written last. The header cannot be longer. */
const HEADER_BYTES = 512;

/**
 * Writes an archive. The file gets its name only when it is complete.
 *
 * @param records lines without line breaks
 */
export async function writeArchive(
  path: string,
  records: AsyncIterable<string>,
  organizationId: string | undefined,
): Promise<ArchiveHeader> {
  const draft = `${path}.part`;
  try {
    const header = await writeDraft(draft, records, organizationId);
    await rename(draft, path);
    return header;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeDraft(
  draft: string,
  records: AsyncIterable<string>,
  organizationId: string | undefined,
): Promise<ArchiveHeader> {
  await using file = await open(draft, 'w', 0o600);
  const tally = new ArchiveTally();
  let end = HEADER_BYTES;
  for await (const line of records) {
    await tally.add(line);
    const bytes = Buffer.from(`${line}\n`);
    await file.write(bytes, 0, bytes.length, end);
    end += bytes.length;
  }
  const header = await tally.header(organizationId);
  const line = `${JSON.stringify(header).padEnd(HEADER_BYTES - 1)}\n`;
  await file.write(Buffer.from(line), 0, HEADER_BYTES, 0);
  await file.sync();
  return header;
}
