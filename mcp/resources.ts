import {
  type CallOptions,
  type DocumentGap,
  type DocumentSummary,
  ForbiddenError,
  type Memory,
  type MemoryClient,
  NotFoundError,
} from '@memory-service/sdk';
import { PAGE_LIMIT } from '@memory-service/sdk/constants';
import {
  type CompleteRequest,
  type CompleteResult,
  type ListResourcesResult,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { formatResourceUri, parseResourceUri, type ResourceName } from './resource-uri.js';
import type { ToolSession } from './session.js';
import { beginning } from './shorten.js';

const DOCUMENT_TEMPLATE = 'store://{organizationId}/document/{documentId}';
const MEMORY_TEMPLATE = 'store://{organizationId}/memory/{id}';
const STATS_TEMPLATE = 'store://{organizationId}/stats';

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain';

/** Maximum number of listed memories, and of listed documents. */
const LISTED = 50;
/** Maximum number of listed missing chunks. */
const MAX_MISSING = 1_000;
const NAME_CHARS = 60;
const MAX_COMPLETIONS = 100;

export const RESOURCE_TEMPLATES: ResourceTemplateType[] = [
  {
    uriTemplate: DOCUMENT_TEMPLATE,
    name: 'document',
    title: 'Document',
    description: 'The chunks of a document, joined in order. Missing chunks are listed.',
    mimeType: TEXT_TYPE,
  },
  {
    uriTemplate: MEMORY_TEMPLATE,
    name: 'memory',
    title: 'Memory',
    description: 'One memory with its full content.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: STATS_TEMPLATE,
    name: 'stats',
    title: 'Counts',
    description: 'How many memories there are, and the values of the common metadata keys.',
    mimeType: JSON_TYPE,
  },
];

/**
 * Lists the counts, the first documents, and the newest memories that are not chunks. Returns an empty list if the
 * credential has no organization or may not read.
 */
export async function listResources(session: ToolSession, options: CallOptions): Promise<ListResourcesResult> {
  const organizationId = await session.organizationId();
  if (organizationId === undefined) return { resources: [] };
  const client = session.client();
  const [newest, listed] = await Promise.all([
    ifAllowed(client.recent({ limit: LISTED }, options)),
    ifAllowed(client.documents.list({ limit: LISTED }, options)),
  ]);
  if (!newest || !listed) return { resources: [] };
  const named = listed.documents.map((document) => toResource(organizationId, document));
  const memories = newest.results
    .filter((memory) => documentIdOf(memory) === undefined)
    .map(
      ({ id, content }): Resource => ({
        uri: formatResourceUri({ kind: 'memory', organizationId, id }),
        name: beginning(content, NAME_CHARS),
        mimeType: JSON_TYPE,
      }),
    );
  const stats = { uri: formatResourceUri({ kind: 'stats', organizationId }), name: 'stats', mimeType: JSON_TYPE };
  return { resources: [stats, ...named, ...memories] };
}

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
  const content = name && (await readNamed(session.client(name.organizationId), name, options));
  if (!content) throw new ResourceNotFoundError(uri, 'Not found');
  const { mimeType, text, meta } = content;
  return { contents: [{ uri, mimeType, text, ...(meta && { _meta: meta }) }] };
}

/** Returns values of a template argument that start with the typed text. */
export async function completeResource(
  session: ToolSession,
  { ref, argument }: CompleteRequest['params'],
  options: CallOptions,
): Promise<CompleteResult> {
  const template = ref.type === 'ref/resource' ? ref.uri : undefined;
  const candidates = template === undefined ? [] : await candidatesFor(session, template, argument.name, options);
  const values = candidates.filter((value) => value.startsWith(argument.value)).slice(0, MAX_COMPLETIONS);
  return { completion: { values, total: values.length, hasMore: false } };
}

interface Content {
  mimeType: string;
  text: string;
  meta?: Record<string, unknown>;
}

async function readNamed(client: MemoryClient, name: ResourceName, options: CallOptions): Promise<Content | undefined> {
  if (name.kind === 'document') return readDocument(client, name, options);
  const found = name.kind === 'stats' ? await client.stats({}, options) : await findMemory(client, name.id, options);
  return found && { mimeType: JSON_TYPE, text: JSON.stringify(found) };
}

async function findMemory(client: MemoryClient, id: string, options: CallOptions): Promise<Memory | undefined> {
  // These ids would change the path of the request.
  if (id === '.' || id === '..') return undefined;
  return orNothing(client.get(id, {}, options));
}

async function readDocument(
  client: MemoryClient,
  name: Extract<ResourceName, { kind: 'document' }>,
  options: CallOptions,
): Promise<Content | undefined> {
  const { id, subjectKey, from } = name;
  const found = await orNothing(client.documents.get(id, { subjectKey, from }, options));
  if (!found) return undefined;
  const { content, chunkTotal, memoryIds, nextChunk } = found;
  const next = nextChunk === undefined ? undefined : formatResourceUri({ ...name, from: nextChunk });
  const meta = { chunkTotal, missing: missingOf(found.gaps), memoryIds, ...(next !== undefined && { next }) };
  return { mimeType: TEXT_TYPE, text: content, meta };
}

function missingOf(gaps: readonly DocumentGap[]): number[] {
  const missing: number[] = [];
  for (const { first, last } of gaps) {
    for (let index = first; index <= last && missing.length < MAX_MISSING; index += 1) missing.push(index);
  }
  return missing;
}

function toResource(organizationId: string, { documentId: id, subjectKey }: DocumentSummary): Resource {
  const about = subjectKey === undefined ? {} : { subjectKey: String(subjectKey) };
  return {
    uri: formatResourceUri({ kind: 'document', organizationId, id, ...about, from: 0 }),
    name: subjectKey === undefined ? id : `${id} (${subjectKey})`,
    mimeType: TEXT_TYPE,
  };
}

async function orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

async function candidatesFor(
  session: ToolSession,
  template: string,
  argument: string,
  options: CallOptions,
): Promise<string[]> {
  if (argument === 'organizationId') {
    const own = await session.organizationId();
    return own === undefined ? [] : [own];
  }
  if (template === DOCUMENT_TEMPLATE && argument === 'documentId') {
    const listed = await ifAllowed(session.client().documents.list({ limit: PAGE_LIMIT.maximum }, options));
    return [...new Set(listed?.documents.map(({ documentId }) => documentId))];
  }
  if (template !== MEMORY_TEMPLATE || argument !== 'id') return [];
  const newest = await ifAllowed(session.client().recent({ limit: LISTED }, options));
  return newest?.results.map(({ id }) => id) ?? [];
}

/** Returns undefined if the caller may not read. */
async function ifAllowed<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ForbiddenError) return undefined;
    throw error;
  }
}

function documentIdOf({ metadata }: Memory): string | undefined {
  return typeof metadata.documentId === 'string' ? metadata.documentId : undefined;
}
