import {
  type Candidate,
  type ChunkPlace,
  inContext,
  type Occurrences,
  placeKey,
  placesAround,
} from '../../../domain/retrieval/context.js';
import type { Connection } from '../engine/connection.js';

export interface ContextScope {
  org: number;
  /** Reports if a memory may be returned. Undefined if any may. */
  isAllowed: ((seq: number) => boolean) | undefined;
}

interface PlacedRow extends ChunkPlace {
  seq: number;
  words: number;
}

type PlacedCandidate = Candidate & { key: number };
type TimesOf = (seq: number) => Occurrences['times'];

const HAS_CHUNKS = `SELECT 1 FROM memories WHERE org = ? AND deleted_at IS NULL AND chunk <> '' LIMIT 1`;
/** An empty chunk stands for a memory that is not an active chunk. */
const BY_SEQ = `SELECT seq, words, subject_key AS subject, iif(deleted_at IS NULL, chunk, '') AS chunk
  FROM memories WHERE seq IN (SELECT value FROM json_each(?))`;
const LAST_AT_PLACE = `SELECT m.seq, m.words, m.subject_key AS subject, m.chunk
  FROM json_each(?1) j CROSS JOIN memories m ON m.seq = (
    SELECT seq FROM memories WHERE org = ?2 AND subject_key = j.value ->> 0 AND chunk = j.value ->> 1
      AND deleted_at IS NULL AND chunk <> '' ORDER BY created_at DESC LIMIT 1)`;

/** Reports if an organization has an active chunk. */
export function hasChunks(connection: Connection, org: number): boolean {
  return connection.get(HAS_CHUNKS, org) !== undefined;
}

/** Returns the candidates and the neighbours of those that are chunks, if they may be returned, with their context. */
export function rankInContext(
  connection: Connection,
  { org, isAllowed }: ContextScope,
  seqs: readonly number[],
  timesOf: TimesOf,
): PlacedCandidate[] {
  const toCandidate = ({ seq, words, subject, chunk }: PlacedRow): PlacedCandidate => {
    return { key: seq, words, times: timesOf(seq), ...(chunk !== '' && { place: { subject, chunk } }) };
  };
  const candidates = connection.all<PlacedRow>(BY_SEQ, JSON.stringify([...new Set(seqs)])).map(toCandidate);
  const places = placesAround(candidates).map(placeKey);
  const around = connection.all<PlacedRow>(LAST_AT_PLACE, `[${places.join()}]`, org).map(toCandidate);
  const ranked = inContext(candidates, around);
  return isAllowed ? ranked.filter(({ key }) => isAllowed(key)) : ranked;
}
