import { subjectText } from '../../../../domain/filter/memory-facets.js';
import type { ExpectedWrite } from '../../../../ports/unit-of-work.js';
import type { Connection } from '../../engine/connection.js';

const IS_ACTIVE = `SELECT 1 FROM memories
  WHERE org = ? AND subject_key = ? AND content_hash = ? AND deleted_at IS NULL LIMIT 1`;
const ACTIVE = `SELECT j.value AS hash FROM json_each(?) j WHERE EXISTS (
  SELECT 1 FROM memories WHERE org = ? AND subject_key = ? AND content_hash = j.value AND deleted_at IS NULL)`;

/**
 * Reports for each content if an active memory of its subject has exactly this content, in any chunk. Several contents
 * take one statement for each subject, since one for each content takes three times as long.
 */
export function areActive(
  connection: Connection,
  org: number,
  contents: readonly Pick<ExpectedWrite, 'subjectKey' | 'contentHash'>[],
): boolean[] {
  const [only] = contents;
  if (only && contents.length === 1)
    return [connection.get(IS_ACTIVE, org, subjectText(only.subjectKey), only.contentHash) !== undefined];
  const hashes = new Map<string, Set<string>>();
  for (const { subjectKey, contentHash } of contents) {
    const subject = subjectText(subjectKey);
    const own = hashes.get(subject) ?? new Set();
    hashes.set(subject, own.add(contentHash));
  }
  const active = new Map(Array.from(hashes, ([subject, own]) => [subject, activeAmong(connection, org, subject, own)]));
  return contents.map(({ subjectKey, contentHash }) => active.get(subjectText(subjectKey))?.has(contentHash) ?? false);
}

function activeAmong(
  connection: Connection,
  org: number,
  subject: string,
  hashes: ReadonlySet<string>,
): ReadonlySet<string> {
  const rows = connection.all<{ hash: string }>(ACTIVE, JSON.stringify([...hashes]), org, subject);
  return new Set(rows.map(({ hash }) => hash));
}
