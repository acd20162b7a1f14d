import {
  type AssembledFunction,
  type Code,
  FunctionBuilder,
  f32x4,
  I32,
  i32,
  i32x4,
  parameters,
  repeatWhile,
  V128,
  v128,
  variables,
} from '../../../../wasm/assembler.js';
import { storeTotal } from '../../../../wasm/lanes.js';
import { OUTPUTS_TOGETHER } from './axes/interleaved.js';
import { ROWS_TOGETHER } from './layout.js';

/** See `multiply` of `SketchKernel`. */
export function multiplyFunction(): AssembledFunction {
  const f = new FunctionBuilder();
  const [outputs, matrix, inputs, pairs, vectors, products] = parameters(f, 6);
  const [bytes, end, pair, vector, vectorEnd, numbers, target] = variables(f, I32, 7);
  const [first, second, lanes] = variables(f, V128, 3);
  const sums = Array.from({ length: OUTPUTS_TOGETHER / 4 }, () => variables(f, V128, 2));
  const multiplyTwo = (n: number): Code[] => [
    first.set(v128.loadSplat(vector, 4 * n)),
    second.set(v128.loadSplat(i32.add(vector, bytes), 4 * n)),
    ...sums.flatMap(([one, other], group) => [
      lanes.set(v128.load(numbers, 4 * OUTPUTS_TOGETHER * n + 16 * group)),
      one.set(i32x4.add(one, i32x4.dot(first, lanes))),
      other.set(i32x4.add(other, i32x4.dot(second, lanes))),
    ]),
  ];
  const storeSums = (n: 0 | 1): Code[] => [
    ...sums.map((both, group) => v128.store(target, f32x4.fromSigned(both[n]), 16 * group)),
    target.increase(i32.shiftLeft(outputs, 2)),
  ];
  return f.build('multiply', [
    bytes.set(i32.shiftLeft(inputs, 1)),
    end.set(i32.add(products, i32.shiftLeft(outputs, 2))),
    repeatWhile(
      [
        pair.set(pairs),
        vector.set(vectors),
        target.set(products),
        repeatWhile(
          [
            numbers.set(matrix),
            vectorEnd.set(i32.add(vector, bytes)),
            ...sums.flat().map((sum) => sum.set(v128.zero)),
            repeatWhile(
              [...multiplyTwo(0), ...multiplyTwo(1), vector.increase(8), numbers.increase(8 * OUTPUTS_TOGETHER)],
              i32.isBelow(vector, vectorEnd),
            ),
            ...storeSums(0),
            ...storeSums(1),
            // The vector has been moved to the start of the second one.
            vector.increase(bytes),
            pair.increase(-1),
          ],
          pair.get,
        ),
        matrix.set(numbers),
        products.increase(4 * OUTPUTS_TOGETHER),
      ],
      i32.isBelow(products, end),
    ),
  ]);
}

/** See `rest` of `SketchKernel`. */
export function restFunction(): AssembledFunction {
  const f = new FunctionBuilder();
  const [codes, products, means, scales, length, rest] = parameters(f, 6);
  const [end] = variables(f, I32, 1);
  const [step, productScale, meanScale, eight] = variables(f, V128, 4);
  const restOf = (four: Code, at: number) =>
    f32x4.subtract(
      f32x4.multiply(f32x4.fromSigned(four), step),
      f32x4.add(f32x4.multiply(v128.load(products, at), productScale), f32x4.multiply(v128.load(means, at), meanScale)),
    );
  return f.build('rest', [
    step.set(v128.loadSplat(scales)),
    productScale.set(v128.loadSplat(scales, 4)),
    meanScale.set(v128.loadSplat(scales, 8)),
    end.set(i32.add(rest, i32.shiftLeft(length, 2))),
    repeatWhile(
      [
        eight.set(v128.load(codes)),
        v128.store(rest, restOf(i32x4.firstFourSigned(eight), 0)),
        v128.store(rest, restOf(i32x4.lastFourSigned(eight), 16), 16),
        codes.increase(16),
        ...[products, means, rest].map((address) => address.increase(32)),
      ],
      i32.isBelow(rest, end),
    ),
  ]);
}

/** See `sizes` of `SketchKernel`. */
export function sizesFunction(): AssembledFunction {
  const f = new FunctionBuilder();
  const [vector, length, result] = parameters(f, 3);
  const [end] = variables(f, I32, 1);
  const [four, sizes, squares] = variables(f, V128, 3);
  return f.build('sizes', [
    end.set(i32.add(vector, i32.shiftLeft(length, 2))),
    repeatWhile(
      [
        four.set(v128.load(vector)),
        sizes.set(f32x4.add(sizes, f32x4.absolute(four))),
        squares.set(f32x4.add(squares, f32x4.multiply(four, four))),
        vector.increase(16),
      ],
      i32.isBelow(vector, end),
    ),
    storeTotal(result, sizes),
    storeTotal(result, squares, 4),
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
