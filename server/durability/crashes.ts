import { type Kept, type Pending, SECTOR } from './disk.js';

/** Returns pseudo-random numbers in [0, 1), the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A kind of power loss: decides which pending changes are kept. */
interface Variant {
  name: string;
  keep(pending: readonly Pending[], random: () => number): Kept[];
}

export const VARIANTS: readonly Variant[] = [
  { name: 'nothing kept', keep: (pending) => pending.map(() => false) },
  { name: 'everything kept', keep: (pending) => pending.map(() => true) },
  { name: 'last write torn', keep: torn },
  {
    name: 'any writes kept',
    keep: (pending, random) => namesInOrder(pending, () => random() < 0.5, random),
  },
  {
    name: 'any sectors kept',
    keep: (pending, random) => namesInOrder(pending, (change) => anySectors(change, random), random),
  },
];

/** Returns a key that is equal for two crashes with the same result: a lost change equals one not made yet. */
export function signatureOf(kept: readonly Kept[], pending: readonly Pending[]): string {
  const parts = kept.map((part, index) =>
    typeof part === 'boolean' ? String(Number(part)) : sectors(part, pending[index]),
  );
  return parts.join().replace(/(?:,?0)+$/, '');
}

/** Keeps all writes but the last, and some first sectors of that one. */
function torn(pending: readonly Pending[], random: () => number): Kept[] {
  const last = pending.findLastIndex(({ kind }) => kind === 'write');
  const count = Math.floor(random() * sectorsOf(pending[last]));
  return pending.map((_, index) => (index === last ? (sector: number) => sector < count : true));
}

function anySectors(change: Pending, random: () => number): Kept {
  if (change.kind !== 'write') return random() < 0.5;
  const kept = Array.from({ length: sectorsOf(change) }, () => random() < 0.5);
  return (sector) => kept[sector] ?? false;
}

/** Names change in the order of the journal: after one that is lost, none is kept. */
function namesInOrder(pending: readonly Pending[], keep: (change: Pending) => Kept, random: () => number): Kept[] {
  const names = pending.filter(({ kind }) => kind === 'name').length;
  let left = Math.floor(random() * (names + 1));
  return pending.map((change) => (change.kind === 'name' ? left-- > 0 : keep(change)));
}

function sectorsOf(change: Pending | undefined): number {
  if (change?.kind !== 'write') return 0;
  const { offset, bytes } = change;
  return Math.ceil((offset + bytes.length) / SECTOR) - Math.floor(offset / SECTOR);
}

/** Returns one digit for each sector, or one for all if they are equal. */
function sectors(isKept: (sector: number) => boolean, change: Pending | undefined): string {
  const digits = Array.from({ length: sectorsOf(change) }, (_, sector) => Number(isKept(sector))).join('');
  if (!digits.includes('1')) return '0';
  return digits.includes('0') ? `s${digits}` : '1';
}
