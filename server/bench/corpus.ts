/** Returns pseudo-random numbers in [0, 1), the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface CorpusItem {
  content: string;
  metadata: { kind: string; project: string; source: string; serial: number };
}

const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za bre cli dro fla gri'.split(' ');
const COMMON = 'the a of and to in is for on with by from at as it that this are was be'.split(' ');
const VOCABULARY = 6_000;
/** One of this many memories has the kind that the selective filter matches. */
const RARE_ONE_IN = 50;

export const RARE_KIND = 'rare';

/** A project that contains only the first memories. */
export const SMALL_PROJECT = { name: 'small', memories: 6 };

/** Makes sentences of about 250 characters from invented words with the frequencies of a language. */
export class Corpus {
  private readonly random: () => number;
  private readonly words: readonly string[];
  private made = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.words = Array.from({ length: VOCABULARY }, () => this.word());
  }

  next(): CorpusItem {
    const serial = this.made++;
    const length = 28 + Math.floor(this.random() * 16);
    const words = Array.from({ length }, () => this.pick());
    return {
      content: `${words.join(' ')}.`,
      metadata: {
        kind: serial % RARE_ONE_IN === 0 ? RARE_KIND : 'note',
        project: serial < SMALL_PROJECT.memories ? SMALL_PROJECT.name : `project-${serial % 20}`,
        source: 'bench',
        serial,
      },
    };
  }

  take(count: number): CorpusItem[] {
    return Array.from({ length: count }, () => this.next());
  }

  /** Returns a few words of a content and some others: near it, not equal to it. */
  query(near: string): string {
    const words = near.split(' ').filter(() => this.random() < 0.4);
    return [...words, this.pick(), this.pick()].join(' ');
  }

  private pick(): string {
    const roll = this.random();
    if (roll < 0.35) return COMMON[Math.floor(this.random() * COMMON.length)] ?? 'the';
    // Squaring prefers words at the front, like word frequencies.
    return this.words[Math.floor(this.random() ** 2 * this.words.length)] ?? 'the';
  }

  private word(): string {
    const count = 2 + Math.floor(this.random() * 3);
    return Array.from({ length: count }, () => SYLLABLES[Math.floor(this.random() * SYLLABLES.length)]).join('');
  }
}
