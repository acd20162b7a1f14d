import {
  type AssembledFunction,
  FunctionBuilder,
  f64x2,
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
} from '../../wasm/assembler.js';

/** Dimensions that are added together, which stay in registers for all rows, and the size of their codes. */
export const [GROUP_DIMENSIONS, GROUP_BYTES] = [16, 8];

const CODE_BITS = 4;
const ZERO = 8;
const SUM_BYTES = 8;
const ROW_BYTES = 4;
/** Each byte of the first halves of two vectors in turn. */
const IN_TURN = [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23];

/** See `sumRows` of `RowSumFunctions`. */
export function sumRowsFunction(): AssembledFunction {
  const f = new FunctionBuilder();
  const [rows, factors, count, sums, groups] = parameters(f, 5);
  const [row, factorAt, left, offset] = variables(f, I32, 4);
  const [codes, eight, four, factor] = variables(f, V128, 4);
  const pairs = variables(f, V128, 8);
  const addTo = (pair: Local) => pair.set(f64x2.add(pair, f64x2.multiply(f64x2.fromSigned(four), factor)));
  const halves = [i16x8.firstEight, i16x8.lastEight];
  const quarters = [i32x4.firstFourSigned, i32x4.lastFourSigned];
  const addGroup = halves.flatMap((half, h) => [
    eight.set(half(codes)),
    ...quarters.flatMap((quarter, q) => {
      const [first, second] = [pairs[4 * h + 2 * q], pairs[4 * h + 2 * q + 1]] as [Local, Local];
      return [four.set(quarter(eight)), addTo(first), four.set(v128.halvesSwapped(four)), addTo(second)];
    }),
  ]);
  return f.build('sumRows', [
    repeatWhile(
      [
        row.set(rows),
        factorAt.set(factors),
        left.set(count),
        ...pairs.map((pair, n) => pair.set(v128.load(sums, 2 * SUM_BYTES * n))),
        repeatWhile(
          [
            codes.set(v128.loadHalf(i32.add(i32.load(row), offset))),
            codes.set(
              i8x16.subtract(
                v128.shuffle(i8x16.shiftRight(codes, CODE_BITS), v128.and(codes, v128.bytes(0x0f)), IN_TURN),
                v128.bytes(ZERO),
              ),
            ),
            factor.set(v128.loadSplatPair(factorAt)),
            ...addGroup,
            row.increase(ROW_BYTES),
            factorAt.increase(SUM_BYTES),
            left.increase(-1),
          ],
          left.get,
        ),
        ...pairs.map((pair, n) => v128.store(sums, pair, 2 * SUM_BYTES * n)),
        offset.increase(GROUP_BYTES),
        sums.increase(GROUP_DIMENSIONS * SUM_BYTES),
        groups.increase(-1),
      ],
      groups.get,
    ),
  ]);
}
