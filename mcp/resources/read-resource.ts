import {
  type CallOptions,
  type DocumentGap,
  type Filter,
  type Memory,
  type MemoryClient,
  NotFoundError,
  type SubjectKey,
} from '@memory-service/sdk';
import { type ReadResourceResult, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { toFilter } from '../binding/bind-input.js';
import { Binding, type Bound, isWithin, MAX_SUBJECT_KEY_LENGTH } from '../binding/binding.js';
import { withoutTotal } from '../binding/bound-call.js';
import { readProfile } from '../context/profile.js';
import { inBinding, type ToolSession } from '../session.js';
import { formatResourceUri, parseResourceUri, type ResourceName } from './resource-uri.js';
import { JSON_TYPE, TEXT_TYPE } from './templates.js';

/** Maximum number of listed missing chunks. */
const MAX_MISSING = 1_000;

/**
 * Reads a resource in the organization that its URI names.
 *
 * @throws {ResourceNotFoundError} if the resource does not exist or belongs to another organization
 * @throws {ForbiddenError} if the organization is unknown, not the caller's, or not that of the credential or header.
 *   All cases look the same to the caller (section 5.3)
 */
export async function readResource(
  session: ToolSession,
  uri: string,
  options: CallOptions,
): Promise<ReadResourceResult> {
  const name = parseResourceUri(uri);
  const client = name && session.client(name.organizationId);
  const content = client && (await inBinding(session, (bound) => readNamed(client, name, bound, options)));
  if (!content) throw new ResourceNotFoundError(uri, 'Not found');
  const { mimeType, text, meta } = content;
  return { contents: [{ uri, mimeType, text, ...(meta && { _meta: meta }) }] };
}

interface Content {
  mimeType: string;
  text: string;
  meta?: Record<string, unknown>;
}

async function readNamed(
  client: MemoryClient,
  name: ResourceName,
  bound: Bound,
  options: CallOptions,
): Promise<Content | undefined> {
  if (name.kind === 'document') return readDocument(client, name, bound, options);
  if (name.kind === 'subject') return readSubject(client, name.id, bound, options);
  const filter = toFilter(bound);
  const found =
    name.kind === 'memory'
      ? await findMemory(client, name.id, bound, options)
      : await readCounts(client, filter, options);
  return found && { mimeType: JSON_TYPE, text: JSON.stringify(found) };
}

async function findMemory(
  client: MemoryClient,
  id: string,
  bound: Bound,
  options: CallOptions,
): Promise<Memory | undefined> {
  // These ids would change the path of the request.
  if (id === '.' || id === '..') return undefined;
  const found = await orNothing(client.get(id, {}, options));
  return found && isWithin(found, bound) ? found : undefined;
}

async function readCounts(client: MemoryClient, filter: Filter | undefined, options: CallOptions): Promise<object> {
  const counts = { ...(await client.stats({ filter }, options)) };
  return filter ? withoutTotal(counts) : counts;
}

async function readSubject(
  client: MemoryClient,
  subject: string,
  { subjectKey, project }: Bound,
  options: CallOptions,
): Promise<Content | undefined> {
  if (subjectKey !== undefined && subject !== String(subjectKey)) return undefined;
  if (subject.trim() === '' || Array.from(subject).length > MAX_SUBJECT_KEY_LENGTH) return undefined;
  // A URI has no types: the binding of a subject tries both.
  const text = await new Binding({ subjectKey: subject, project }).run((bound) =>
    readProfile(client, subject, { ...toFilter(bound) }, options),
  );
  return text === undefined ? undefined : { mimeType: TEXT_TYPE, text };
}

async function readDocument(
  client: MemoryClient,
  name: Extract<ResourceName, { kind: 'document' }>,
  bound: Bound,
  options: CallOptions,
): Promise<Content | undefined> {
  const { id, from } = name;
  const own = bound.subjectKey;
  if (own !== undefined && name.subjectKey !== undefined && name.subjectKey !== String(own)) return undefined;
  const subjectKey: SubjectKey | undefined = own ?? name.subjectKey;
  const { project } = bound;
  if (project !== undefined && !(await isOfProject(client, name, { subjectKey, project }, options))) return undefined;
  const found = await orNothing(client.documents.get(id, { subjectKey, from }, options));
  if (!found) return undefined;
  const { content, chunkTotal, memoryIds, nextChunk } = found;
  const next = nextChunk === undefined ? undefined : formatResourceUri({ ...name, from: nextChunk });
  const meta = { chunkTotal, missing: missingOf(found.gaps), memoryIds, ...(next !== undefined && { next }) };
  return { mimeType: TEXT_TYPE, text: content, meta };
}

/** Reports if all chunks of a document are in a project. */
async function isOfProject(
  client: MemoryClient,
  { id: documentId }: { id: string },
  { subjectKey, project }: { subjectKey: SubjectKey | undefined; project: string },
  options: CallOptions,
): Promise<boolean> {
  const subject = new Binding({ subjectKey: subjectKey === undefined ? undefined : String(subjectKey) });
  const { facets, meta } = await subject.run((bound) =>
    client.stats({ filter: { documentId, ...toFilter(bound) } }, options),
  );
  return facets.project.some(({ value, count }) => value === project && count === meta.filtered);
}

function missingOf(gaps: readonly DocumentGap[]): number[] {
  const missing: number[] = [];
  for (const { first, last } of gaps) {
    for (let index = first; index <= last && missing.length < MAX_MISSING; index += 1) missing.push(index);
  }
  return missing;
}

async function orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
