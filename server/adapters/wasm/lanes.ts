import { type Code, f32, f32x4, type Local, type Value, v128 } from './assembler.js';

/** Stores the largest of four float lanes. Changes the lanes. */
export function storeLargest(address: Value, lanes: Local): Code {
  return storeFolded(address, lanes, f32x4.max, f32.max);
}

/** Stores the sum of four float lanes. Changes the lanes. @param offset added to the address */
export function storeTotal(address: Value, lanes: Local, offset = 0): Code {
  return storeFolded(address, lanes, f32x4.add, f32.add, offset);
}

function storeFolded(
  address: Value,
  lanes: Local,
  foldHalves: (a: Value, b: Value) => Code,
  fold: (a: Value, b: Value) => Code,
  offset = 0,
): Code {
  return [
    ...lanes.set(foldHalves(lanes, v128.halvesSwapped(lanes))),
    ...f32.store(address, fold(f32x4.lane(lanes, 0), f32x4.lane(lanes, 1)), offset),
  ];
}
