import fc from 'fast-check';
import type { Filter } from '../../../domain/filter/filter.js';
import type { Ordered, WhereCondition } from '../../../domain/filter/where.js';
import type { SubjectKey } from '../../../domain/memory/memory.js';
import type { Scalar } from '../../../domain/memory/scalar.js';

/** The time between two rounds of the model, in microseconds. */
export const STEP = 3_600_000_000;

/** Code points and UTF-16 units order the last two differently. */
export const STRINGS = ['a', 'b', '1', '\u{fffd}', '\u{1f600}'];

const keys = fc.constantFrom('kind', 'a.b', '$where', 'missing');
const scalars = fc.constantFrom<Scalar>(...STRINGS, 1, -2.5, 10, null, true);
const bounds = fc.option(
  fc.record({ value: fc.constantFrom<Ordered>(...STRINGS, 1, -2.5, 3), inclusive: fc.boolean() }),
);
const times = fc.integer({ min: 0, max: 12 }).map((hours) => hours * STEP);
const wheres: fc.Arbitrary<WhereCondition> = fc.oneof(
  fc.record({
    kind: fc.constant('noneOf' as const),
    key: keys,
    values: fc.array(scalars, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('exists' as const), key: keys, exists: fc.boolean() }),
  fc.tuple(keys, bounds, bounds).map(([key, above, below]): WhereCondition => {
    const isOneType = typeof above?.value === typeof below?.value;
    if (above) return { kind: 'range', key, above, ...(below && isOneType && { below }) };
    return { kind: 'range', key, below: below ?? { value: 5, inclusive: true } };
  }),
  fc.record(
    {
      kind: fc.constant('time' as const),
      field: fc.constantFrom('createdAt', 'updatedAt'),
      from: times,
      before: times,
      anyOf: fc.array(times, { maxLength: 4 }),
      noneOf: fc.array(times, { maxLength: 2 }),
    },
    { requiredKeys: ['kind', 'field'] },
  ),
);

/** Generates filters that match some of the model's memories. */
export const filters: fc.Arbitrary<Filter> = fc
  .record({
    subjectKey: fc.constantFrom<SubjectKey | undefined>(undefined, undefined, undefined, 1, 'anna'),
    externalKey: fc.constantFrom<string | undefined>(undefined, undefined, undefined, 'key-1'),
    metadata: fc.uniqueArray(
      fc.record({
        key: fc.constantFrom('kind', 'a.b', '$where'),
        anyOf: fc.uniqueArray(fc.constantFrom('a', 'b', 1, '1', null, true), { minLength: 1, maxLength: 3 }),
      }),
      { selector: ({ key }) => key, maxLength: 2 },
    ),
    where: fc.option(fc.array(wheres, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  })
  .map(({ subjectKey, externalKey, metadata: conditions, where }) => ({
    metadata: conditions,
    ...(where && { where }),
    ...(subjectKey !== undefined && { subjectKey }),
    ...(externalKey !== undefined && { externalKey }),
  }));
