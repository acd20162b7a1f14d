/** Instructions of WebAssembly as bytes: an expression that leaves one value, or statements that leave none. */
export type Code = readonly number[];

/** An expression, the value of a local variable, or a constant of 32 bits. */
export type Value = Code | Local | number;

/** The types of values: integers of 32 bits, and vectors of 128 bits. */
export const I32 = 0x7f;
export const V128 = 0x7b;
type Type = typeof I32 | typeof V128;

const SIMD = 0xfd;
const [BLOCK, LOOP, BRANCH, BRANCH_IF, END, NO_RESULT] = [0x02, 0x03, 0x0c, 0x0d, 0x0b, 0x40];

/** A parameter or a variable of a function. Variables are 0 at first. */
export class Local {
  readonly #index: number;

  constructor(index: number) {
    this.#index = index;
  }

  get get(): Code {
    return [0x20, ...unsigned(this.#index)];
  }

  set(value: Value): Code {
    return [...code(value), 0x21, ...unsigned(this.#index)];
  }

  /** Adds to an integer. */
  increase(by: Value): Code {
    return this.set(i32.add(this, by));
  }
}

type Unary = (a: Value) => Code;
type Binary = (a: Value, b: Value) => Code;

const unary =
  (...instruction: number[]): Unary =>
  (a) => [...code(a), ...instruction];
const binary =
  (...instruction: number[]): Binary =>
  (a, b) => [...code(a), ...code(b), ...instruction];
const simd = (instruction: number) => [SIMD, ...unsigned(instruction)];
/** @param offset added to the address. Alignment is only a hint, and none is given */
const load =
  (...instruction: number[]) =>
  (address: Value, offset = 0): Code => [...code(address), ...instruction, 0, ...unsigned(offset)];
const store =
  (...instruction: number[]) =>
  (address: Value, value: Value, offset = 0): Code => [
    ...code(address),
    ...code(value),
    ...instruction,
    0,
    ...unsigned(offset),
  ];

export const i32 = {
  add: binary(0x6a),
  subtract: binary(0x6b),
  or: binary(0x72),
  shiftLeft: binary(0x74),
  isBelow: binary(0x49),
  isZero: unary(0x45),
  load: load(0x28),
  storeByte: store(0x3a),
};

export const f32 = { add: binary(0x92), max: binary(0x97), store: store(0x38) };

/** Selects 16 of the bytes of two vectors. */
function shuffle(a: Value, b: Value, bytes: readonly number[]): Code {
  return [...code(a), ...code(b), ...simd(13), ...bytes];
}

export const v128 = {
  load: load(...simd(0)),
  /** Loads eight int8 as int16. */
  loadBytes: load(...simd(1)),
  /** Loads 32 bits into each of four lanes. */
  loadSplat: load(...simd(9)),
  /** Loads 64 bits into both lanes. */
  loadSplatPair: load(...simd(10)),
  /** Loads 64 bits into the first half. The second is 0. */
  loadHalf: load(...simd(93)),
  store: store(...simd(11)),
  zero: [...simd(12), ...new Array<number>(16).fill(0)] as Code,
  and: binary(...simd(78)),
  bytes: (byte: number): Code => [...simd(12), ...new Array<number>(16).fill(byte)],
  floats: (...floats: number[]): Code => [...simd(12), ...new Uint8Array(Float32Array.from(floats).buffer)],
  shuffle,
  halvesSwapped: (a: Value): Code => shuffle(a, a, [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]),
};

export const i8x16 = {
  /** Replaces each byte of `b` by the byte of `a` with this number. */
  lookUp: binary(...simd(14)),
  add: binary(...simd(110)),
  subtract: binary(...simd(113)),
  /** Converts twice eight signed lanes. Numbers beyond a byte become the nearest one. */
  narrowed: binary(...simd(101)),
  /** Shifts in zeros. */
  shiftRight: binary(...simd(109)),
};

export const i16x8 = {
  add: binary(...simd(142)),
  subtract: binary(...simd(145)),
  shiftLeft: binary(...simd(139)),
  shiftRight: binary(...simd(141)),
  shiftRightSigned: binary(...simd(140)),
  multiply: binary(...simd(149)),
  /** Converts twice four signed lanes. */
  narrowed: binary(...simd(133)),
  /** Converts the first or last eight of 16 signed lanes. */
  firstEight: unary(...simd(135)),
  lastEight: unary(...simd(136)),
};

export const i32x4 = {
  add: binary(...simd(174)),
  /** Multiplies eight int16, and adds neighbours. */
  dot: binary(...simd(186)),
  bitmask: unary(...simd(164)),
  fromFloats: unary(...simd(248)),
  /** Converts the first or last four of eight lanes. */
  firstFour: unary(...simd(169)),
  lastFour: unary(...simd(170)),
  firstFourSigned: unary(...simd(167)),
  lastFourSigned: unary(...simd(168)),
};

export const f32x4 = {
  add: binary(...simd(228)),
  subtract: binary(...simd(229)),
  multiply: binary(...simd(230)),
  max: binary(...simd(235)),
  absolute: unary(...simd(224)),
  /** Rounds to integers, a half to the even one. */
  nearest: unary(...simd(106)),
  fromSigned: unary(...simd(250)),
  fromUnsigned: unary(...simd(251)),
  lane: (a: Value, lane: number): Code => [...code(a), ...simd(31), lane],
};

export const f64x2 = {
  add: binary(...simd(240)),
  multiply: binary(...simd(242)),
  /** Converts the first two of four lanes. */
  fromSigned: unary(...simd(254)),
};

/** Runs statements once, and again while a condition is not 0. */
export function repeatWhile(statements: readonly Code[], condition: Code): Code {
  return [LOOP, NO_RESULT, ...statements.flat(), ...condition, BRANCH_IF, 0, END];
}

/** Runs statements while a condition is not 0. */
export function whileNotZero(condition: Value, statements: readonly Code[]): Code {
  const loop = [LOOP, NO_RESULT, ...i32.isZero(condition), BRANCH_IF, 1, ...statements.flat(), BRANCH, 0, END];
  return [BLOCK, NO_RESULT, ...loop, END];
}

export interface AssembledFunction {
  name: string;
  parameters: readonly Type[];
  variables: readonly Type[];
  code: Code;
}

/** Collects the variables of a function. */
export class FunctionBuilder {
  readonly #parameters: Type[] = [];
  readonly #variables: Type[] = [];

  /** All parameters come before any variable. */
  parameter(type: Type): Local {
    this.#parameters.push(type);
    return new Local(this.#parameters.length - 1);
  }

  variable(type: Type): Local {
    this.#variables.push(type);
    return new Local(this.#parameters.length + this.#variables.length - 1);
  }

  build(name: string, statements: readonly Code[]): AssembledFunction {
    return {
      name,
      parameters: this.#parameters,
      variables: this.#variables,
      code: statements.flat(),
    };
  }
}

/** Exactly `Count` local variables. */
type Locals<Count extends number, Found extends Local[] = []> = Found['length'] extends Count
  ? Found
  : Locals<Count, [...Found, Local]>;

/** Adds integer parameters. */
export function parameters<Count extends number>(f: FunctionBuilder, count: Count): Locals<Count> {
  return Array.from({ length: count }, () => f.parameter(I32)) as Locals<Count>;
}

export function variables<Count extends number>(
  f: FunctionBuilder,
  type: typeof I32 | typeof V128,
  count: Count,
): Locals<Count> {
  return Array.from({ length: count }, () => f.variable(type)) as Locals<Count>;
}

/**
 * Returns a module that exports functions, and imports its memory as `memory` of `kernel`.
 *
 * @param sharedPages the maximum size of its memory, if threads share it
 */
export function assemble(functions: readonly AssembledFunction[], sharedPages?: number): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [0x60, ...vector(parameters), ...vector([])]);
  const limits = sharedPages === undefined ? [0x00, 0x01] : [0x03, 0x01, ...unsigned(sharedPages)];
  const imports = [[...text('kernel'), ...text('memory'), 0x02, ...limits]];
  const exports = functions.map(({ name }, index) => [...text(name), 0x00, ...unsigned(index)]);
  const bodies = functions.map(({ variables, code: body }) => {
    const declared = variables.map((type) => [1, type]);
    return sized([...unsigned(declared.length), ...declared.flat(), ...body, END]);
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, types),
    ...section(2, imports),
    ...section(
      3,
      functions.map((_, index) => unsigned(index)),
    ),
    ...section(7, exports),
    ...section(10, bodies),
  ]);
}

function code(value: Value): Code {
  if (value instanceof Local) return value.get;
  return typeof value === 'number' ? [0x41, ...signed(value)] : value;
}

function section(id: number, entries: readonly Code[]): Code {
  return [id, ...sized([...unsigned(entries.length), ...entries.flat()])];
}

function sized(bytes: Code): Code {
  return [...unsigned(bytes.length), ...bytes];
}

function vector(bytes: Code): Code {
  return sized(bytes);
}

function text(characters: string): Code {
  return sized([...Buffer.from(characters)]);
}

/** Encodes an integer in groups of seven bits (LEB128). */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  const isLast = value >= -64 && value < 64;
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
