import {
  type CallOptions,
  type DocumentSummary,
  ForbiddenError,
  type Memory,
  type MemoryClient,
} from '@memory-service/sdk';
import { toFilter } from '../binding/bind-input.js';
import type { Bound } from '../binding/binding.js';
import { inBinding, type ToolSession } from '../session.js';

/** Maximum number of listed memories. */
const LISTED = 50;
/** Maximum number of listed subjects. */
const MAX_SUBJECTS = 10;

type NamedDocument = Pick<DocumentSummary, 'documentId' | 'subjectKey'>;

/** Returns the newest memories of the connection, or undefined if it may not read. */
export function readNewest(session: ToolSession, options: CallOptions): Promise<Memory[] | undefined> {
  return ifAllowed(inBinding(session, (bound) => newestOf(session.client(), bound, options)));
}

/**
 * Returns the first documents of the connection, or undefined if it may not read. The documents of a project are those of
 * its newest memories, since they are not listed by project.
 */
export function readDocuments(
  session: ToolSession,
  limit: number,
  options: CallOptions,
): Promise<NamedDocument[] | undefined> {
  const client = session.client();
  return ifAllowed(
    inBinding(session, async (bound): Promise<NamedDocument[]> => {
      if (bound.project !== undefined) return documentsOf(await newestOf(client, bound, options));
      return (await client.documents.list({ limit, subjectKey: bound.subjectKey }, options)).documents;
    }),
  );
}

/** Returns the subjects of memories, each once. */
export function subjectsOf(memories: readonly Memory[]): string[] {
  const keys = memories.flatMap(({ subjectKey }) => (subjectKey === undefined ? [] : [String(subjectKey)]));
  return [...new Set(keys)].slice(0, MAX_SUBJECTS);
}

export function documentIdOf({ metadata }: Memory): string | undefined {
  return typeof metadata.documentId === 'string' ? metadata.documentId : undefined;
}

async function newestOf(client: MemoryClient, bound: Bound, options: CallOptions): Promise<Memory[]> {
  return (await client.recent({ limit: LISTED, filter: toFilter(bound) }, options)).results;
}

/** Returns the documents of memories, each once. */
function documentsOf(memories: readonly Memory[]): NamedDocument[] {
  const documents = new Map<string, NamedDocument>();
  for (const memory of memories) {
    const documentId = documentIdOf(memory);
    const { subjectKey } = memory;
    if (documentId === undefined) continue;
    const document = { documentId, ...(subjectKey !== undefined && { subjectKey }) };
    documents.set(JSON.stringify(document), document);
  }
  return [...documents.values()];
}

async function ifAllowed<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ForbiddenError) return undefined;
    throw error;
  }
}
