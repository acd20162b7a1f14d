import type { Filter } from '@memory-service/sdk';
import { Flags } from '@oclif/core';
import { parseMatch, parseObject } from './key-values.js';

/** The flags that choose memories, for every command that reads many. */
export const filterFlags = {
  agent: Flags.string({ description: 'only with this agentId' }),
  document: Flags.string({ description: 'only parts of the document with this documentId' }),
  filter: Flags.string({ description: 'a filter as JSON, joined with the other flags' }),
  'include-deleted': Flags.boolean({ description: 'soft-deleted memories as well' }),
  kind: Flags.string({ description: 'only of this kind' }),
  match: Flags.string({
    description: 'only with this metadata, as key=text or key:=json; may be repeated',
    multiple: true,
    multipleNonGreedy: true,
  }),
  project: Flags.string({ description: 'only of this project' }),
  source: Flags.string({ description: 'only from this source' }),
  subject: Flags.string({ description: 'only about this subject key' }),
  surface: Flags.string({ description: 'only from this surface' }),
};

interface FilterFlags {
  agent?: string | undefined;
  document?: string | undefined;
  filter?: string | undefined;
  kind?: string | undefined;
  match?: string[] | undefined;
  project?: string | undefined;
  source?: string | undefined;
  surface?: string | undefined;
}

/** Undefined when no flag narrows the reading. @throws {CommandError} for a flag that cannot be read */
export function toFilter(flags: FilterFlags, subjectKey: string | number | undefined): Filter | undefined {
  const given = flags.filter === undefined ? {} : (parseObject(flags.filter) as Filter);
  const match = parseMatch(flags.match);
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
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}
