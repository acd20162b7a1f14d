import type { Filter } from '@memory-service/sdk';
import * as Flags from '@oclif/core/flags';
import { parseMatch, parseObject } from './key-values.js';
import { timeFlag } from './time-flag.js';
import { joinWhere, parseWhere } from './where-flag.js';

/** The flags that select memories, for every command that reads many. */
export const filterFlags = {
  agent: Flags.string({ description: 'only memories with this agentId' }),
  document: Flags.string({ description: 'only chunks of the document with this documentId' }),
  filter: Flags.string({ description: 'a filter as JSON, combined with the other flags' }),
  'include-deleted': Flags.boolean({ description: 'include soft-deleted memories' }),
  kind: Flags.string({ description: 'only memories of this kind' }),
  match: Flags.string({
    description: 'only memories with this metadata, as key=text or key:=json; repeatable',
    multiple: true,
    multipleNonGreedy: true,
  }),
  project: Flags.string({ description: 'only memories of this project' }),
  source: Flags.string({ description: 'only memories from this source' }),
  subject: Flags.string({ description: 'only memories with this subject key' }),
  surface: Flags.string({ description: 'only memories from this surface' }),
  where: Flags.string({
    description: 'only memories that meet this, such as priority>=3, "kind in a,b" or "owner !exists"; repeatable',
    multiple: true,
    multipleNonGreedy: true,
  }),
};

/** The flags that select memories by their creation. */
export const createdFlags = {
  since: timeFlag('only memories created from this time on'),
  until: timeFlag('only memories created before this time'),
};

interface FilterFlags {
  agent?: string | undefined;
  document?: string | undefined;
  filter?: string | undefined;
  kind?: string | undefined;
  match?: string[] | undefined;
  project?: string | undefined;
  since?: string | undefined;
  source?: string | undefined;
  surface?: string | undefined;
  until?: string | undefined;
  where?: string[] | undefined;
}

/** Returns the filter, or undefined if no flag sets one. @throws {CommandError} if a flag is not valid */
export function toFilter(flags: FilterFlags, subjectKey: string | number | undefined): Filter | undefined {
  const given = flags.filter === undefined ? {} : (parseObject(flags.filter, '--filter: ') as Filter);
  const match = parseMatch(flags.match);
  const where = joinWhere(given.where ?? {}, parseWhere(flags.where ?? []), createdWithin(flags));
  const named = {
    agentId: flags.agent,
    documentId: flags.document,
    kind: flags.kind,
    project: flags.project,
    source: flags.source,
    subjectKey,
    surface: flags.surface,
  };
  const filter: Filter = {
    ...given,
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)),
    ...(match && { match: { ...given.match, ...match } }),
    ...(Object.keys(where).length > 0 && { where }),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}

function createdWithin({ since, until }: FilterFlags): NonNullable<Filter['where']> {
  if (since === undefined && until === undefined) return {};
  return { createdAt: { ...(since !== undefined && { gte: since }), ...(until !== undefined && { lt: until }) } };
}
