const SLOTS = { min: 16, max: 2_048 };
const CODE_UNITS_PER_SLOT = 8;
/** UTF-16 code units. Words are shorter. */
const MAX_LENGTH = 256;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Cuts pieces out of a text, and returns the same string for a piece that repeats a recent one. Maps find such a string
 * in a fifth of the time, and most texts repeat words. It has one slot for each hash, so that no text makes it slow.
 */
export class PieceCache {
  private readonly pieces: string[] = [];
  private readonly slots: number;

  constructor(private readonly text: string) {
    let slots = SLOTS.min;
    while (slots < SLOTS.max && slots * CODE_UNITS_PER_SLOT < text.length) slots *= 2;
    this.slots = slots;
    for (let slot = 0; slot < slots; slot += 1) this.pieces.push('');
  }

  /** Returns `text.slice(start, end)`. */
  slice(start: number, end: number): string {
    const { text, pieces, slots } = this;
    if (end - start > MAX_LENGTH) return text.slice(start, end);
    let hash = FNV_OFFSET;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
    const slot = (hash ^ (hash >>> 15)) & (slots - 1);
    const known = pieces[slot] ?? '';
    if (known.length === end - start && isAt(text, start, known)) return known;
    const piece = text.slice(start, end);
    pieces[slot] = piece;
    return piece;
  }
}

function isAt(text: string, start: number, piece: string): boolean {
  for (let at = 0; at < piece.length; at += 1) {
    if (text.charCodeAt(start + at) !== piece.charCodeAt(at)) return false;
  }
  return true;
}
