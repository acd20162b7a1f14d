import {
  type CallOptions,
  type ExportedMemory,
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
import { joinChunks } from './document.js';
import { protocolError } from './protocol-error.js';
import { formatResourceUri, parseResourceUri, type ResourceName } from './resource-uri.js';
import type { Session } from './session.js';
import { beginning } from './shorten.js';

const DOCUMENT_TEMPLATE = 'store://{organizationId}/document/{documentId}';
const MEMORY_TEMPLATE = 'store://{organizationId}/memory/{id}';
const STATS_TEMPLATE = 'store://{organizationId}/stats';

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain';

/** Characters of one document at once; the rest is read from the chunk that the answer names. */
const MAX_DOCUMENT_CHARS = 1_000_000;

/** Characters that are held while a document is put together. */
const MAX_READ_CHARS = 32_000_000;

/** Memories that listing and completing look through: the newest. */
const LISTED = 50;
const NAME_CHARS = 60;
const MAX_COMPLETIONS = 100;

export const RESOURCE_TEMPLATES: ResourceTemplateType[] = [
  {
    uriTemplate: DOCUMENT_TEMPLATE,
    name: 'document',
    title: 'Document',
    description: 'The chunks of a document, joined in order. Missing ones are named.',
    mimeType: TEXT_TYPE,
  },
  {
    uriTemplate: MEMORY_TEMPLATE,
    name: 'memory',
    title: 'Memory',
    description: 'One memory, whole.',
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
 * The counts, and the documents and memories among the newest. Nothing where
 * the credential reaches no organization or may not read in it.
 */
export async function listResources(session: Session, options: CallOptions): Promise<ListResourcesResult> {
  const organizationId = await session.organizationId();
  if (organizationId === undefined) return { resources: [] };
  const newest = await readNewest(session.client(), options);
  if (!newest) return { resources: [] };
  const documents = documentIds(newest).map(
    (id): Resource => ({
      uri: formatResourceUri({ kind: 'document', organizationId, id, from: 0 }),
      name: id,
      mimeType: TEXT_TYPE,
    }),
  );
  const memories = newest
    .filter((memory) => documentIdOf(memory) === undefined)
    .map(
      ({ id, content }): Resource => ({
        uri: formatResourceUri({ kind: 'memory', organizationId, id }),
        name: beginning(content, NAME_CHARS),
        mimeType: JSON_TYPE,
      }),
    );
  const stats = { uri: formatResourceUri({ kind: 'stats', organizationId }), name: 'stats', mimeType: JSON_TYPE };
  return { resources: [stats, ...documents, ...memories] };
}

/**
 * Reads a resource in the organization that its URI names.
 *
 * @throws {ResourceNotFoundError} for a URI that names nothing: the same for what belongs to somebody else
 * @throws {ForbiddenError} for an organization that is unknown, not the caller's, or not the one that the caller's
 *   credential or header names: all alike (section 5.3)
 */
export async function readResource(session: Session, uri: string, options: CallOptions): Promise<ReadResourceResult> {
  const name = parseResourceUri(uri);
  const content = name && (await readNamed(session.client(name.organizationId), name, options));
  if (!content) throw new ResourceNotFoundError(uri, 'Not found');
  const { mimeType, text, meta } = content;
  return { contents: [{ uri, mimeType, text, ...(meta && { _meta: meta }) }] };
}

/** Values that an argument of a template may have, by what was typed of it. */
export async function completeResource(
  session: Session,
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
  // Words that are part of a path stand for no memory.
  if (id === '.' || id === '..') return undefined;
  try {
    return await client.get(id, {}, options);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

async function readDocument(
  client: MemoryClient,
  { id, organizationId, from }: Extract<ResourceName, { kind: 'document' }>,
  options: CallOptions,
): Promise<Content | undefined> {
  const chunks = await exportChunks(client, id, options);
  const document = joinChunks(chunks, from, MAX_DOCUMENT_CHARS);
  if (!document) return undefined;
  const { text, nextChunk, ...meta } = document;
  const next =
    nextChunk === undefined ? undefined : formatResourceUri({ kind: 'document', organizationId, id, from: nextChunk });
  return { mimeType: TEXT_TYPE, text, meta: { ...meta, ...(next !== undefined && { next }) } };
}

async function exportChunks(client: MemoryClient, documentId: string, options: CallOptions): Promise<ExportedMemory[]> {
  const chunks: ExportedMemory[] = [];
  let chars = 0;
  for await (const memory of client.export({ filter: { documentId }, limit: PAGE_LIMIT.maximum }, options)) {
    chars += memory.content.length;
    if (chars > MAX_READ_CHARS) {
      throw protocolError({
        error: 'The document is too long to be joined here: export its memories instead',
      });
    }
    chunks.push(memory);
  }
  return chunks;
}

async function candidatesFor(
  session: Session,
  template: string,
  argument: string,
  options: CallOptions,
): Promise<string[]> {
  if (argument === 'organizationId') {
    const own = await session.organizationId();
    return own === undefined ? [] : [own];
  }
  const newest = (await readNewest(session.client(), options)) ?? [];
  if (template === DOCUMENT_TEMPLATE && argument === 'documentId') return documentIds(newest);
  return template === MEMORY_TEMPLATE && argument === 'id' ? newest.map(({ id }) => id) : [];
}

/** Undefined where the caller may not read, and so has nothing to be told of. */
async function readNewest(client: MemoryClient, options: CallOptions): Promise<Memory[] | undefined> {
  try {
    return (await client.recent({ limit: LISTED }, options)).results;
  } catch (error) {
    if (error instanceof ForbiddenError) return undefined;
    throw error;
  }
}

function documentIds(memories: readonly Memory[]): string[] {
  return Array.from(new Set(memories.map(documentIdOf).filter((id) => id !== undefined)));
}

function documentIdOf({ metadata }: Memory): string | undefined {
  return typeof metadata.documentId === 'string' ? metadata.documentId : undefined;
}
