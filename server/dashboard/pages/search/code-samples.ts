import type { Filter, SearchRequest } from '@memory-service/sdk';
import { quoteShell } from '../../kit/text/quote-shell.js';

interface Sample {
  label: string;
  code: string;
}

/** Flags of `memory search`, by the members of a request. */
const FLAGS = {
  mode: 'mode',
  limit: 'limit',
  minScore: 'min-score',
  recencyWeight: 'recency',
  recencyHalflifeDays: 'halflife',
} as const satisfies Partial<Record<keyof SearchRequest, string>>;
/** Flags by the keys of a filter. */
const FILTER_FLAGS = {
  agentId: 'agent',
  documentId: 'document',
  kind: 'kind',
  project: 'project',
  source: 'source',
  subjectKey: 'subject',
  surface: 'surface',
} as const satisfies Record<Exclude<keyof Filter, 'match' | 'where'>, string>;

/** Writes a search for each kind of client. */
export function samplesOf(request: SearchRequest, baseUrl: string, organizationId: string): Sample[] {
  return [
    { label: 'SDK (TypeScript)', code: sdkCode(request, baseUrl, organizationId) },
    { label: 'curl', code: curlCode(request, baseUrl, organizationId) },
    { label: 'CLI', code: cliCode(request) },
    { label: 'Tool call (MCP)', code: toolCode(request) },
  ];
}

function sdkCode(request: SearchRequest, baseUrl: string, organizationId: string): string {
  return `import { MemoryClient } from '@memory-service/sdk';

const client = new MemoryClient({
  baseUrl: ${quoteScript(baseUrl)},
  organizationId: ${quoteScript(organizationId)},
});
const { results } = await client.search(${literal(request)});`;
}

function curlCode(request: SearchRequest, baseUrl: string, organizationId: string): string {
  return `curl -s ${quoteShell(`${baseUrl}/api/memories/search`)} \\
  -H "Authorization: Bearer $MEMORY_TOKEN" \\
  -H ${quoteShell(`X-Organization-Id: ${organizationId}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${quoteShell(JSON.stringify(request))}`;
}

/** Writes the command. A value follows its flag with `=`, because it may begin with a dash. */
export function cliCode(request: SearchRequest): string {
  const { query, filter = {}, exact, includeDeleted } = request;
  const { match, where, ...named } = filter;
  const flags = [
    ...flagsOf(FLAGS, request),
    ...(exact ? ['--exact'] : []),
    ...(includeDeleted ? ['--include-deleted'] : []),
    ...flagsOf(FILTER_FLAGS, named),
    ...(match || where ? [`--filter=${quoteShell(JSON.stringify({ match, where }))}`] : []),
  ];
  return ['memory search', ...flags, ...(query.startsWith('-') ? ['--'] : []), quoteShell(query)].join(' ');
}

function toolCode(request: SearchRequest): string {
  return JSON.stringify({ name: 'memory_search', arguments: request }, undefined, 2);
}

function flagsOf(names: Readonly<Record<string, string>>, values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(names).flatMap(([name, flag]) =>
    values[name] === undefined ? [] : [`--${flag}=${quoteShell(String(values[name]))}`],
  );
}

/** Quotes a text for TypeScript, with single quotes. */
function quoteScript(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quoteScript(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const members = Object.entries(value).map(([key, member]) => `${inner}${name(key)}: ${literal(member, inner)},\n`);
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`;
}

/** Returns a name of an object literal. `__proto__` in brackets is an ordinary member. */
function name(key: string): string {
  if (key === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoteScript(key);
}
