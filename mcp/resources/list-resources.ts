import type { CallOptions, DocumentSummary } from '@memory-service/sdk';
import { PAGE_LIMIT } from '@memory-service/sdk/constants';
import type { CompleteRequest, CompleteResult, ListResourcesResult, Resource } from '@modelcontextprotocol/server';
import type { ToolSession } from '../session.js';
import { beginning } from '../shorten.js';
import { documentIdOf, readDocuments, readNewest, subjectsOf } from './newest.js';
import { formatResourceUri } from './resource-uri.js';
import { DOCUMENT_TEMPLATE, JSON_TYPE, MEMORY_TEMPLATE, SUBJECT_TEMPLATE, TEXT_TYPE } from './templates.js';

/** Maximum number of listed documents. */
const LISTED = 50;
const NAME_CHARS = 60;
const MAX_COMPLETIONS = 100;

/**
 * Lists the counts, the profiles of the newest subjects, the first documents, and the newest memories that are not
 * chunks. Returns an empty list if the credential has no organization or may not read.
 */
export async function listResources(session: ToolSession, options: CallOptions): Promise<ListResourcesResult> {
  const organizationId = await session.organizationId();
  if (organizationId === undefined) return { resources: [] };
  const [newest, documents] = await Promise.all([
    readNewest(session, options),
    readDocuments(session, LISTED, options),
  ]);
  if (!newest || !documents) return { resources: [] };
  const subjects = subjectsOf(newest).map(
    (id): Resource => ({
      uri: formatResourceUri({ kind: 'subject', organizationId, id }),
      name: `About ${id}`,
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
  const named = documents.map((document) => toResource(organizationId, document));
  return { resources: [stats, ...subjects, ...named, ...memories] };
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
    const documents = await readDocuments(session, PAGE_LIMIT.maximum, options);
    return [...new Set(documents?.map(({ documentId }) => documentId))];
  }
  if (template === SUBJECT_TEMPLATE && argument === 'subjectKey') {
    return subjectsOf((await readNewest(session, options)) ?? []);
  }
  if (template !== MEMORY_TEMPLATE || argument !== 'id') return [];
  return (await readNewest(session, options))?.map(({ id }) => id) ?? [];
}

function toResource(
  organizationId: string,
  { documentId: id, subjectKey }: Pick<DocumentSummary, 'documentId' | 'subjectKey'>,
): Resource {
  const about = subjectKey === undefined ? {} : { subjectKey: String(subjectKey) };
  return {
    uri: formatResourceUri({ kind: 'document', organizationId, id, ...about, from: 0 }),
    name: subjectKey === undefined ? id : `${id} (${subjectKey})`,
    mimeType: TEXT_TYPE,
  };
}
