import type { SubjectErasure, SubjectKey } from '../generated/types.gen.js';
import { formatTime } from './record.js';
import { notFound } from './refusal.js';
import { assertFields, assertSubjectKey, type SubjectKeyType } from './validate.js';

/** The memories and versions that an erasure removed. */
interface Erased {
  /** Ids of the memories, in the order of creation. */
  ids: readonly string[];
  versions: number;
}

const NOTHING = { memories: 0, versions: 0, deliveries: 0, auditEvents: 0, inboundMemories: 0 };

/** Validates the request of an erasure. @throws {Refusal} */
export function readErasure(body: unknown, type: SubjectKeyType): SubjectKey {
  assertFields(body, ['subjectKey']);
  const { subjectKey } = body;
  const anyType = typeof subjectKey === 'number' ? 'integer' : 'string';
  assertSubjectKey(subjectKey, 'subjectKey', type ?? anyType);
  return subjectKey;
}

/** Stores the receipts of erasures. */
export class ErasureTable {
  readonly #erasures = new Map<string, SubjectErasure>();

  /** Records an erasure, and returns it as it was at its start. Later reads find it done. */
  async start(subjectKey: SubjectKey, { ids, versions }: Erased): Promise<SubjectErasure> {
    const at = formatTime(Date.now() * 1_000);
    const id = crypto.randomUUID();
    let digest = await sha256('');
    const started: SubjectErasure = { id, status: 'running', subjectKey, requestedAt: at, counts: NOTHING, digest };
    for (const memoryId of ids) digest = await sha256(digest + memoryId);
    const counts = { ...NOTHING, memories: ids.length, versions };
    this.#erasures.set(id, { id, status: 'done', requestedAt: at, finishedAt: at, counts, digest });
    return started;
  }

  /** @throws {Refusal} 404 */
  find(id: string): SubjectErasure {
    const found = this.#erasures.get(id);
    if (!found) throw notFound();
    return found;
  }

  clear(): void {
    this.#erasures.clear();
  }
}

/** Returns a digest in lower-case hex. */
async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
