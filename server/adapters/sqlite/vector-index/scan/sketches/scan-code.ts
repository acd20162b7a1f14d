import {
  type AssembledFunction,
  type Code,
  FunctionBuilder,
  f32x4,
  I32,
  i8x16,
  i16x8,
  i32,
  i32x4,
  type Local,
  parameters,
  repeatWhile,
  V128,
  v128,
  variables,
} from '../../../../wasm/assembler.js';
import { storeLargest } from '../../../../wasm/lanes.js';
import { ROWS_TOGETHER } from './layout.js';

/** See `scan` of `SketchKernel`. */
export function scanFunction(): AssembledFunction {
  const f = new FunctionBuilder();
  const [rows, query, headQuery, tables] = parameters(f, 4);
  const [heads, headLength, bits, planes] = parameters(f, 4);
  const [factors, slacks, uppers, largest] = parameters(f, 4);
  const [plane, table] = variables(f, I32, 2);
  const [bytes, sum, max] = variables(f, V128, 3);
  // Sums of 16 rows in lanes of 16 bits: those of the odd rows, and those of the even rows plus 256 times the odd ones.
  const [odd, both] = variables(f, V128, 2);
  const products = headProducts(f, { heads, headLength, headQuery });

  const lookUp = (offset: number): Code =>
    i8x16.add(
      i8x16.lookUp(v128.load(table, offset), v128.and(bytes, v128.bytes(15))),
      i8x16.lookUp(v128.load(table, offset + 16), v128.and(i16x8.shiftRight(bytes, 4), v128.bytes(15))),
    );
  const upper = (at: number, rests: Code): Code =>
    f32x4.add(
      f32x4.add(
        f32x4.multiply(v128.loadSplat(query), f32x4.fromSigned(products.sums)),
        f32x4.multiply(v128.loadSplat(query, 12), v128.load(slacks, at)),
      ),
      f32x4.multiply(
        v128.load(factors, at),
        f32x4.add(v128.loadSplat(query, 8), f32x4.multiply(v128.loadSplat(query, 4), f32x4.fromUnsigned(rests))),
      ),
    );
  const fourRows = [i32x4.firstFour(sum), i32x4.lastFour(sum), i32x4.firstFour(odd), i32x4.lastFour(odd)];

  return f.build('scan', [
    repeatWhile(
      [
        odd.set(v128.zero),
        both.set(v128.zero),
        plane.set(planes),
        table.set(tables),
        repeatWhile(
          [
            // Entries of tables are at most 63, so the sum of four fits into a byte.
            bytes.set(v128.load(bits)),
            sum.set(lookUp(0)),
            bytes.set(v128.load(bits, 16)),
            sum.set(i8x16.add(sum, lookUp(32))),
            both.set(i16x8.add(both, sum)),
            odd.set(i16x8.add(odd, i16x8.shiftRight(sum, 8))),
            bits.increase(32),
            table.increase(64),
            plane.increase(-2),
          ],
          plane.get,
        ),
        both.set(i16x8.subtract(both, i16x8.shiftLeft(odd, 8))),
        sum.set(v128.shuffle(both, odd, [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])),
        odd.set(v128.shuffle(both, odd, [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])),
        ...fourRows.flatMap((rests, index) => [
          products.compute,
          bytes.set(upper(16 * index, rests)),
          v128.store(uppers, bytes, 16 * index),
          max.set(index === 0 ? bytes : f32x4.max(max, bytes)),
        ]),
        storeLargest(largest, max),
        ...[factors, slacks, uppers].map((address) => address.increase(4 * ROWS_TOGETHER)),
        largest.increase(4),
        rows.increase(-ROWS_TOGETHER),
      ],
      rows.get,
    ),
  ]);
}

/** Computes the products of an int16 query with the int8 heads of four rows. */
function headProducts(
  f: FunctionBuilder,
  { heads, headLength, headQuery }: { heads: Local; headLength: Local; headQuery: Local },
): { compute: Code; sums: Code } {
  const [query, end] = variables(f, I32, 2);
  const [queryPart] = variables(f, V128, 1);
  const others = variables(f, I32, 3);
  const sums = variables(f, V128, 4);
  const rows = [heads, ...others];
  const addPart = (part: number) => [
    queryPart.set(v128.load(query, 16 * part)),
    ...sums.map((sum, index) =>
      sum.set(i32x4.add(sum, i32x4.dot(queryPart, v128.loadBytes(rows[index] as Local, 8 * part)))),
    ),
  ];
  const compute = [
    query.set(headQuery),
    end.set(i32.add(heads, headLength)),
    ...others.map((row, index) => row.set(i32.add(rows[index] as Local, headLength))),
    ...sums.map((sum) => sum.set(v128.zero)),
    repeatWhile(
      [...addPart(0), ...addPart(1), query.increase(32), ...rows.map((row) => row.increase(16))],
      i32.isBelow(heads, end),
    ),
    // Each row has been moved to the start of the next one.
    heads.set(others[2]),
    ...laneSums(sums),
  ].flat();
  return { compute, sums: sums[0].get };
}

/** Sets the first of four vectors to the sums of the lanes of each. */
function laneSums([a, b, c, d]: readonly Local[]): Code[] {
  if (!a || !b || !c || !d) return [];
  const folded = (x: Local, y: Local) =>
    i32x4.add(
      v128.shuffle(x, y, [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23]),
      v128.shuffle(x, y, [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31]),
    );
  return [
    a.set(folded(a, b)),
    c.set(folded(c, d)),
    a.set(
      i32x4.add(
        v128.shuffle(a, c, [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]),
        v128.shuffle(a, c, [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]),
      ),
    ),
  ];
}
