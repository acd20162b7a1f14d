import { DEFAULT_CONTEXT_TOKENS, MAX_CONTEXT_TOKENS } from '../size.js';

/** An argument in the form that a model sees. */
export type ListedArgument = {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  enum?: string[];
  items?: { type: string };
  /** Written for a model: what to put there, and an example if that is shorter than words. */
  description?: string;
};

/** The listed arguments of a tool, by name. */
export type ListedArguments = Readonly<Record<string, ListedArgument>>;

/** The parts of the binding of a connection, which its models neither see nor set. */
export type Fixed = 'subjectKey' | 'project';

export const TOOL_NAMES = [
  'memory_context',
  'memory_ingest',
  'memory_upsert',
  'memory_ingest_batch',
  'memory_search',
  'memory_stats',
  'memory_changes',
  'memory_recent',
  'memory_get',
  'memory_update',
  'memory_delete',
  'memory_restore',
  'service_health',
] as const;

export type ToolName = (typeof TOOL_NAMES)[number];

const text = (description: string): ListedArgument => ({ type: 'string', description });
const integer = (description: string): ListedArgument => ({ type: 'integer', description });
const object = (description: string): ListedArgument => ({ type: 'object', description });

const CONTENT = text('The fact: one self-contained sentence with names and full dates.');
const EXTERNAL_KEY = text('Your name for it, e.g. "ana/timezone".');
const EXPIRES_AT = text('When it stops being true, ISO 8601.');
const ID = text('Id from another result.');
const LIMIT = integer('At most 50.');
const SAME_FILTER = object('As in memory_search.');
const INCLUDE_DELETED: ListedArgument = { type: 'boolean' };

/**
 * Returns the arguments that models see, by tool. A tool accepts all arguments of its operation: those that models
 * rarely need are left out here, since every definition is sent with each conversation.
 *
 * @param fixed values that the connection sets, so that a model must not
 */
export function listedArguments(fixed: readonly Fixed[]): Readonly<Record<ToolName, ListedArguments>> {
  const free = (...names: readonly string[]) => names.filter((name) => !fixed.some((each) => each === name));
  const keys = free('subjectKey', 'project', 'kind', 'source', 'documentId').join(', ');
  const filter = object(
    `Exact matches of ${keys}, e.g. {"kind":"rule"}, or ranges: {"where":{"createdAt":{"gte":"2026-03-01"}}}.`,
  );
  const labels = fixed.includes('project') ? '{"kind":"preference"}' : '{"kind":"preference","project":"acme"}';
  const subjectKey: ListedArguments = fixed.includes('subjectKey')
    ? {}
    : { subjectKey: text('Who or what it is about: a user id.') };
  const memory = {
    content: CONTENT,
    metadata: object(`Labels to filter by later, e.g. ${labels}.`),
    ...subjectKey,
    expiresAt: EXPIRES_AT,
  };
  return {
    memory_context: {
      query: text('What the conversation or task is about.'),
      ...subjectKey,
      filter: SAME_FILTER,
      maxTokens: integer(`Length of the text: ${DEFAULT_CONTEXT_TOKENS} unless set, at most ${MAX_CONTEXT_TOKENS}.`),
    },
    memory_ingest: memory,
    memory_upsert: { externalKey: EXTERNAL_KEY, ...memory },
    memory_ingest_batch: {
      items: {
        type: 'array',
        items: { type: 'object' },
        description: 'Arguments of memory_ingest each; one with an externalKey is stored as by memory_upsert.',
      },
    },
    memory_search: {
      query: text('What to find, in plain words.'),
      limit: LIMIT,
      filter,
      mode: {
        type: 'string',
        enum: ['vector', 'keyword', 'hybrid'],
        description: 'vector: meaning (unless set). keyword: exact names and codes. hybrid: both.',
      },
      recencyWeight: { type: 'number', description: '0 to 1: how much newer ones rank higher.' },
      includeDeleted: INCLUDE_DELETED,
    },
    memory_stats: { filter: SAME_FILTER },
    memory_changes: {
      since: text('ISO 8601, e.g. "2026-03-01".'),
      cursor: text('nextCursor of the last call.'),
      filter: SAME_FILTER,
      includeDeleted: INCLUDE_DELETED,
    },
    memory_recent: { limit: LIMIT, filter: SAME_FILTER },
    memory_get: {
      id: ID,
      offset: integer('Where to read on: nextOffset of the last call.'),
      includeDeleted: INCLUDE_DELETED,
    },
    memory_update: {
      id: ID,
      content: CONTENT,
      metadata: object('Labels to add or change.'),
      ...subjectKey,
      expiresAt: EXPIRES_AT,
    },
    memory_delete: { id: ID },
    memory_restore: { id: ID },
    service_health: {},
  };
}
