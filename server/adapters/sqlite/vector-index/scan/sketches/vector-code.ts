import {
  type AssembledFunction,
  type Code,
  FunctionBuilder,
  f32x4,
  I32,
  i32,
  i32x4,
  type Local,
  parameters,
  repeatWhile,
  V128,
  v128,
  variables,
} from '../../../../wasm/assembler.js';
import { storeTotal } from '../../../../wasm/lanes.js';
import { ROWS_TOGETHER } from './layout.js';

/** See `multiply` of `SketchKernel`. */
export function multiplyFunction(): AssembledFunction {
  const f = new FunctionBuilder();
  const [rows, matrix, length, pairs, vectors, products] = parameters(f, 6);
  const [bytes, productBytes, end, vector, pair] = variables(f, I32, 5);
  const targets = variables(f, I32, 2);
  const fourRows = variables(f, I32, 4);
  const parts = variables(f, V128, 2);
  const sums = parts.map((part) => fourRows.map((row) => ({ part, row, sum: f.variable(V128) })));
  const multiplyPart = (at: number): Code[] => [
    parts[0].set(v128.load(vector, at)),
    parts[1].set(v128.load(i32.add(vector, bytes), at)),
    ...sums.flat().map(({ part, row, sum }) => sum.set(f32x4.add(sum, f32x4.multiply(part, v128.load(row, at))))),
  ];
  return f.build('multiply', [
    bytes.set(i32.shiftLeft(length, 2)),
    productBytes.set(i32.shiftLeft(rows, 2)),
    repeatWhile(
      [
        pair.set(pairs),
        vector.set(vectors),
        targets[0].set(products),
        end.set(i32.add(matrix, bytes)),
        repeatWhile(
          [
            targets[1].set(i32.add(targets[0], productBytes)),
            ...fourRows.map((row, n) => row.set(n === 0 ? matrix : i32.add(fourRows[n - 1] as Local, bytes))),
            ...sums.flat().map(({ sum }) => sum.set(v128.zero)),
            repeatWhile(
              [
                ...multiplyPart(0),
                ...multiplyPart(16),
                ...[vector, ...fourRows].map((address) => address.increase(32)),
              ],
              i32.isBelow(fourRows[0], end),
            ),
            ...targets.flatMap((target, n) => (sums[n] ?? []).map(({ sum }, row) => storeTotal(target, sum, 4 * row))),
            targets[0].set(i32.add(targets[1], productBytes)),
            // The vector has been moved to the start of the second one.
            vector.increase(bytes),
            pair.increase(-1),
          ],
          pair.get,
        ),
        products.increase(16),
        matrix.set(fourRows[3]),
        rows.increase(-4),
      ],
      rows.get,
    ),
  ]);
}

/** See `mix` of `SketchKernel`. */
export function mixFunction(): AssembledFunction {
  const f = new FunctionBuilder();
  const [vector, signs, length] = parameters(f, 3);
  const [end, half, at, halfEnd] = variables(f, I32, 4);
  const [a, b] = variables(f, V128, 2);
  /** Adds and subtracts within the four lanes. */
  const within = (plus: number[], minus: number[], minusSigns: number[]) =>
    a.set(
      f32x4.add(
        v128.shuffle(a, a, lanes(plus)),
        f32x4.multiply(v128.shuffle(a, a, lanes(minus)), v128.floats(...minusSigns)),
      ),
    );
  return f.build('mix', [
    end.set(i32.add(vector, i32.shiftLeft(length, 2))),
    at.set(vector),
    repeatWhile(
      [
        a.set(f32x4.multiply(v128.load(at), v128.load(signs))),
        within([0, 0, 2, 2], [1, 1, 3, 3], [1, -1, 1, -1]),
        within([0, 1, 0, 1], [2, 3, 2, 3], [1, 1, -1, -1]),
        v128.store(at, a),
        signs.increase(16),
        at.increase(16),
      ],
      i32.isBelow(at, end),
    ),
    half.set(16),
    repeatWhile(
      [
        at.set(vector),
        repeatWhile(
          [
            halfEnd.set(i32.add(at, half)),
            repeatWhile(
              [
                a.set(v128.load(at)),
                b.set(v128.load(i32.add(at, half))),
                v128.store(at, f32x4.add(a, b)),
                v128.store(i32.add(at, half), f32x4.subtract(a, b)),
                at.increase(16),
              ],
              i32.isBelow(at, halfEnd),
            ),
            at.increase(half),
          ],
          i32.isBelow(at, end),
        ),
        half.set(i32.shiftLeft(half, 1)),
      ],
      i32.isBelow(half, i32.subtract(end, vector)),
    ),
  ]);
}

/** See `signs` of `SketchKernel`. */
export function signsFunction(): AssembledFunction {
  const f = new FunctionBuilder();
  const [vector, length, bits] = parameters(f, 3);
  const [end] = variables(f, I32, 1);
  return f.build('signs', [
    end.set(i32.add(vector, i32.shiftLeft(length, 2))),
    repeatWhile(
      [
        i32.storeByte(
          bits,
          i32.or(i32x4.bitmask(v128.load(vector)), i32.shiftLeft(i32x4.bitmask(v128.load(vector, 16)), 4)),
        ),
        bits.increase(ROWS_TOGETHER),
        vector.increase(32),
      ],
      i32.isBelow(vector, end),
    ),
  ]);
}

/** Returns the bytes of lanes of 32 bits. */
function lanes(numbers: readonly number[]): number[] {
  return numbers.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte));
}
