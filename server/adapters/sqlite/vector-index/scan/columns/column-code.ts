import {
  type AssembledFunction,
  type Code,
  FunctionBuilder,
  f32x4,
  I32,
  i16x8,
  i32,
  i32x4,
  type Local,
  parameters,
  repeatWhile,
  V128,
  v128,
  variables,
  whileNotZero,
} from '../../../../wasm/assembler.js';
import { storeLargest } from '../../../../wasm/lanes.js';
import { ROWS_TOGETHER } from '../sketches/layout.js';
import { ENTRY_BYTES, GROUP_BYTES } from './column-query.js';

/** Rows in a line of a processor cache. Their sums are in eight vectors, so that no sum leaves the registers. */
const ROWS_OF_LINE = 64;
const LINES = Array.from({ length: ROWS_OF_LINE / ROWS_TOGETHER }, (_, n) => n);

/**
 * See `ColumnFunctions`. The lanes of 16 bits have the code of an even row in their low byte, and that of the
 * next row in their high byte. So the sum of lanes times numbers is that of the even row, plus 256 times that of the odd
 * row, modulo 2 ** 16. The sum of the odd row is computed too, and subtracted.
 */
export function columnsFunction(): AssembledFunction {
  const f = new FunctionBuilder();
  const [rows, columns, query, products, largest] = parameters(f, 5);
  const [row, group, count, start, entry, left, column, sums] = variables(f, I32, 8);
  const [number, lanes] = variables(f, V128, 2);
  const both = variables(f, V128, 4);
  const odd = variables(f, V128, 4);

  const addColumn: Code[] = [
    column.set(i32.add(start, i32.load(entry))),
    number.set(v128.loadSplat(entry, 4)),
    ...LINES.flatMap((n) => [
      lanes.set(v128.load(column, 16 * n)),
      both[n]?.set(i16x8.add(both[n], i16x8.multiply(lanes, number))) ?? [],
      odd[n]?.set(i16x8.add(odd[n], i16x8.multiply(i16x8.shiftRightSigned(lanes, 8), number))) ?? [],
    ]),
    entry.increase(ENTRY_BYTES),
    left.increase(-1),
  ];
  const addTo = (offset: number, four: Code) => v128.store(sums, i32x4.add(v128.load(sums, offset), four), offset);
  const addSums = (n: number, even: Local, other: Local): Code[] => [
    even.set(i16x8.subtract(even, i16x8.shiftLeft(other, 8))),
    ...[even, other].flatMap((eight, half) => [
      addTo(64 * n + 32 * half, i32x4.firstFourSigned(eight)),
      addTo(64 * n + 32 * half + 16, i32x4.lastFourSigned(eight)),
    ]),
  ];
  const addGroup: Code[] = [
    row.set(0),
    sums.set(products),
    repeatWhile(
      [
        start.set(i32.add(columns, row)),
        entry.set(i32.add(group, GROUP_BYTES)),
        left.set(count),
        number.set(v128.loadSplat(group, 4)),
        ...LINES.flatMap((n) => [both[n]?.set(number) ?? [], odd[n]?.set(v128.zero) ?? []]),
        repeatWhile(addColumn, left.get),
        ...LINES.flatMap((n) => addSums(n, both[n] as Local, odd[n] as Local)),
        row.increase(ROWS_OF_LINE),
        sums.increase(4 * ROWS_OF_LINE),
      ],
      i32.isBelow(row, rows),
    ),
    group.set(entry),
    count.set(i32.load(group)),
  ];

  return f.build('columns', [
    group.set(query),
    count.set(i32.load(group)),
    whileNotZero(count, addGroup),
    ...inOrder(f, { rows, products, largest }),
  ]);
}

/** Converts the sums of each 16 rows, those of the even rows first, to floats in the order of the rows. */
function inOrder(
  f: FunctionBuilder,
  { rows, products, largest }: { rows: Local; products: Local; largest: Local },
): Code[] {
  const [max] = variables(f, V128, 1);
  const sums = variables(f, V128, 4);
  const [even, laterEven, odd, laterOdd] = sums;
  const fours = [
    v128.shuffle(even, odd, [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23]),
    v128.shuffle(even, odd, [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31]),
    v128.shuffle(laterEven, laterOdd, [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23]),
    v128.shuffle(laterEven, laterOdd, [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31]),
  ];
  return [
    repeatWhile(
      [
        ...sums.map((sum, n) => sum.set(f32x4.fromSigned(v128.load(products, 16 * n)))),
        max.set(f32x4.max(f32x4.max(even, odd), f32x4.max(laterEven, laterOdd))),
        ...fours.map((four, n) => v128.store(products, four, 16 * n)),
        storeLargest(largest, max),
        products.increase(4 * ROWS_TOGETHER),
        largest.increase(4),
        rows.increase(-ROWS_TOGETHER),
      ],
      rows.get,
    ),
  ];
}
