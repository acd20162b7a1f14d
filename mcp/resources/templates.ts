import type { ResourceTemplateType } from '@modelcontextprotocol/server';

export const DOCUMENT_TEMPLATE = 'store://{organizationId}/document/{documentId}';
export const MEMORY_TEMPLATE = 'store://{organizationId}/memory/{id}';
export const SUBJECT_TEMPLATE = 'store://{organizationId}/subject/{subjectKey}';
const STATS_TEMPLATE = 'store://{organizationId}/stats';

export const JSON_TYPE = 'application/json';
export const TEXT_TYPE = 'text/plain';

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
    uriTemplate: SUBJECT_TEMPLATE,
    name: 'subject',
    title: 'Profile of a subject',
    description: 'What is known about a person or thing: the newest memories by kind, as text for a prompt.',
    mimeType: TEXT_TYPE,
  },
  {
    uriTemplate: STATS_TEMPLATE,
    name: 'stats',
    title: 'Counts',
    description: 'How many memories there are, and the values of the common metadata keys.',
    mimeType: JSON_TYPE,
  },
];
