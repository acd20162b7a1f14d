import type { Filter } from '@memory-service/sdk';
import { ArgumentError } from '../arguments.js';
import { isObject } from '../json-schema.js';
import { type Bound, keyScope } from './binding.js';

type Input = Readonly<Record<string, unknown>>;

/** How a tool is bound: by what it selects, by what it writes, or by the memory of its id. */
export type Binds = 'filter' | 'memory' | 'items' | 'change' | 'id' | 'read' | 'nothing';

/**
 * Adds the bound values to the arguments of a tool.
 *
 * @throws {ArgumentError} if an argument has another value, or a form in which no value can be set
 */
export function bindInput(binds: Binds, input: Input, bound: Bound): Input {
  switch (binds) {
    case 'filter':
      return bindFilter(input, bound);
    case 'memory':
      return bindMemory(input, bound, '');
    case 'items':
      return bindItems(input, bound);
    case 'change':
      return bindChange(input, bound);
    default:
      return input;
  }
}

/** Returns the filter of everything that is bound. Undefined if nothing is. */
export function toFilter({ subjectKey, project }: Bound): Filter | undefined {
  if (subjectKey === undefined && project === undefined) return undefined;
  return { ...(subjectKey !== undefined && { subjectKey }), ...(project !== undefined && { project }) };
}

function bindFilter({ subjectKey, ...input }: Input, bound: Bound): Input {
  assertSame('subjectKey', subjectKey, bound.subjectKey);
  const filter = objectAt('filter', input.filter);
  assertSame('filter.subjectKey', filter.subjectKey, bound.subjectKey);
  assertSame('filter.project', filter.project, bound.project);
  const isFree = bound.subjectKey === undefined && subjectKey !== undefined;
  return { ...input, filter: { ...filter, ...toFilter(bound) }, ...(isFree && { subjectKey }) };
}

function bindMemory(input: Input, bound: Bound, path: string): Input {
  const { subjectKey, project } = bound;
  assertSame(`${path}subjectKey`, input.subjectKey, subjectKey);
  const metadata = objectAt(`${path}metadata`, input.metadata);
  assertSame(`${path}metadata.project`, metadata.project, project);
  return {
    ...input,
    ...(subjectKey !== undefined && { subjectKey }),
    ...(project !== undefined && { metadata: { ...metadata, project } }),
    ...(input.externalKey !== undefined && { scope: bindScope(input.scope, bound, path) }),
  };
}

function bindScope(scope: unknown, bound: Bound, path: string): Input {
  const given = objectAt(`${path}scope`, scope);
  const own = keyScope(bound);
  assertSame(`${path}scope.source`, given.source, own.source);
  assertSame(`${path}scope.project`, given.project, own.project);
  return { ...given, ...own };
}

function bindItems(input: Input, bound: Bound): Input {
  const { items } = input;
  if (!Array.isArray(items)) throw new ArgumentError('items', 'must be an array');
  const each = (item: unknown, index: number) => {
    if (!isObject(item)) throw new ArgumentError(`items.${index}`, 'must be an object');
    return bindMemory(item, bound, `items.${index}.`);
  };
  return { ...input, items: items.map(each) };
}

/** Binds a change of a memory that is within: its subject and project stay. */
function bindChange({ subjectKey, ...input }: Input, bound: Bound): Input {
  assertSame('subjectKey', subjectKey, bound.subjectKey);
  const isFree = bound.subjectKey === undefined && subjectKey !== undefined;
  const change = { ...input, ...(isFree && { subjectKey }) };
  if (input.metadata === undefined || bound.project === undefined) return change;
  const metadata = objectAt('metadata', input.metadata);
  assertSame('metadata.project', metadata.project, bound.project);
  return { ...change, metadata: { ...metadata, project: bound.project } };
}

function objectAt(path: string, value: unknown): Input {
  if (value === undefined) return {};
  if (!isObject(value)) throw new ArgumentError(path, 'must be an object');
  return value;
}

function assertSame(path: string, given: unknown, fixed: string | number | undefined): void {
  if (given === undefined || fixed === undefined || given === fixed || given === String(fixed)) return;
  throw new ArgumentError(path, 'is fixed by this connection', `Leave ${path.split('.').at(-1)} out and call again.`);
}
