import type { Filter } from '../../../domain/filter/filter.js';
import type { WhereCondition } from '../../../domain/filter/where.js';
import type { Memory } from '../../../domain/memory/memory.js';

/** Reports if a memory matches a filter, as simply as possible. */
export function matches(memory: Memory, filter: Filter): boolean {
  const { metadata, subjectKey, externalKey } = memory;
  return (
    (filter.subjectKey === undefined || filter.subjectKey === subjectKey) &&
    (filter.externalKey === undefined || filter.externalKey === externalKey) &&
    filter.metadata.every(
      ({ key, anyOf }) => Object.hasOwn(metadata, key) && anyOf.some((value) => value === metadata[key]),
    ) &&
    (filter.where ?? []).every((condition) => meets(memory, condition))
  );
}

function meets({ metadata, ...memory }: Memory, where: WhereCondition): boolean {
  if (where.kind === 'time') {
    const at = memory[where.field];
    const isBetween = !(at < (where.from ?? at)) && !(at >= (where.before ?? at + 1));
    return isBetween && (where.anyOf ?? [at]).includes(at) && !(where.noneOf ?? []).includes(at);
  }
  const { [where.key]: value } = metadata;
  if (where.kind === 'exists') return Object.hasOwn(metadata, where.key) === where.exists;
  if (where.kind === 'noneOf') return !where.values.some((each) => each === value);
  const { above, below } = where;
  const isAbove = !above || orderOf(value, above.value) === 1 || (above.inclusive && value === above.value);
  const isBelow = !below || orderOf(value, below.value) === -1 || (below.inclusive && value === below.value);
  return isAbove && isBelow;
}

/** Returns the order of two values of one type. Strings are compared one code point after the other. */
function orderOf(one: unknown, other: unknown): -1 | 0 | 1 | undefined {
  if (typeof one === 'number' && typeof other === 'number') return one < other ? -1 : one > other ? 1 : 0;
  if (typeof one !== 'string' || typeof other !== 'string') return undefined;
  const [points, others] = [one, other].map((text) => Array.from(text, (point) => point.codePointAt(0)!)) as number[][];
  const at = points!.findIndex((point, index) => point !== others![index]);
  if (at < 0) return points!.length === others!.length ? 0 : -1;
  return at >= others!.length || points![at]! > others![at]! ? 1 : -1;
}
