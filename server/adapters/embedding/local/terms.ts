import { hashText, mixHashes } from './hash.js';
import { type KnownWord, knowWord } from './known-words.js';

/** One thing that two texts can have in common. */
export interface Term {
  readonly hash: number;
  /** How much the term tells about a text, from 0 to 1. */
  readonly weight: number;
  /** In how many dimensions the term is written. */
  readonly spread: number;
  /** The word whose character n-grams go along with the term. */
  readonly spelling: string | undefined;
  /** How often the text has the term. */
  count: number;
}

const WORD_SALT = 1;
const PAIR_SALT = 2;
const SYMBOL_SALT = 3;

const WORD_SPREAD = 4;
const PAIR_SPREAD = 2;

const PAIR_WEIGHT = 0.4;
const SYMBOL_WEIGHT = 0.3;
const IDEOGRAPH_WEIGHT = 0.35;
const IDEOGRAPH_PAIR_WEIGHT = 0.8;
/** Hiragana mostly writes endings and particles. */
const HIRAGANA_FACTOR = 0.4;

/** Longer runs of letters and digits are no words but data; they are read in pieces of this many UTF-16 code units. */
const MAX_WORD_LENGTH = 64;
/** Maximum code units of a word piece in NFKD, which makes up to 18 code units of one, and 3 in the usual scripts. */
const MAX_FOLDED_LENGTH = 4 * MAX_WORD_LENGTH;

const TOKEN = /[cC]\+\+|[cCfF]#|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*|\p{Extended_Pictographic}/gu;
/** Most words: one piece, without a hump, a unit, accents or other scripts. */
const PLAIN_WORD = /^[A-Z]?[a-z]{1,63}$/;
const APOSTROPHE = /['’]/;
const HUMP = /(?<=[a-z0-9])(?=[A-Z])/;
const NUMBER_AND_UNIT = /^(\d+)([a-zA-Z]{1,3})$/;
const NOT_ASCII = /[^\0-\x7f]/;
const ACCENTS = /[\u0300-\u036f]+/g;
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const SCRIPT_RUN = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');
const FIRST_HIRAGANA = 0x3041;
const LAST_HIRAGANA = 0x309f;

const CLITICS = new Set(['s', 're', 've', 'll', 'd', 'm']);
const NEGATED = new Map([
  ['can', 'can'],
  ['won', 'will'],
  ['shan', 'shall'],
]);

/** The term of a word. */
export interface WordTerm {
  readonly term: Readonly<Omit<Term, 'count'>>;
  readonly joins: boolean;
}

/**
 * Takes a text apart into words, pairs of neighbouring words and symbols.
 * Scripts that are written without spaces give characters and pairs of them.
 * Text of other signs alone gives those; every text gives at least one term.
 * The work is linear in the length of the text.
 */
export function extractTerms(text: string): Term[] {
  const reader = new TermReader();
  for (const token of text.match(TOKEN) ?? []) reader.readToken(token);
  if (reader.terms.size === 0) reader.readSigns(text.trim());
  if (reader.terms.size === 0) reader.readSigns(' ');
  return [...reader.terms.values()];
}

class TermReader {
  readonly terms = new Map<number, Term>();
  /** Words of the text, by the tokens that are one word each. */
  private readonly words = new Map<string, ReadWord>();
  /** Words of the tokens with an apostrophe that were read before. */
  private readonly elisions = new Map<string, readonly string[]>();
  /** Parts of the pieces read before. */
  private readonly parts = new Map<string, readonly Part[]>();
  private previous: WordTerm['term'] | undefined;

  readToken(token: string): void {
    const read = this.words.get(token);
    if (read) {
      read.term.count += 1;
      this.join(read.known);
    } else if (PLAIN_WORD.test(token)) this.words.set(token, this.readWord(token.toLowerCase()));
    else if (APOSTROPHE.test(token)) this.readElision(token);
    else if (token.length <= MAX_WORD_LENGTH) this.readShort(token);
    else this.readLong(token);
  }

  /** Reads signs by character and by pair, for text that has no words. */
  readSigns(text: string): void {
    this.readCharacters(text, SYMBOL_WEIGHT, SYMBOL_WEIGHT);
  }

  private readElision(token: string): void {
    let words = this.elisions.get(token);
    if (words === undefined) {
      words = wordsOfElision(token);
      this.elisions.set(token, words);
    }
    for (const word of words) this.readToken(word);
  }

  private readShort(token: string): void {
    const parts = this.partsOf(token);
    const [first] = parts;
    if (parts.length === 1 && first?.isWord) this.words.set(token, this.readWord(first.text));
    else this.readParts(parts);
  }

  private readLong(token: string): void {
    for (let start = 0; start < token.length; start += MAX_WORD_LENGTH) {
      this.readParts(this.partsOf(token.slice(start, start + MAX_WORD_LENGTH)));
    }
  }

  private partsOf(piece: string): readonly Part[] {
    let parts = this.parts.get(piece);
    if (parts === undefined) {
      parts = partsOf(piece);
      this.parts.set(piece, parts);
    }
    return parts;
  }

  private readParts(parts: readonly Part[]): void {
    for (const part of parts) {
      if (part.isWord) this.readWord(part.text);
      else this.readUnspaced(part);
    }
  }

  /** Reads a run of a script without spaces. The second time, it keeps the terms for the times after that. */
  private readUnspaced(part: Part): void {
    if (part.terms) {
      this.previous = undefined;
      for (const term of part.terms) term.count += 1;
      return;
    }
    const terms = this.readCharacters(part.text, IDEOGRAPH_WEIGHT, IDEOGRAPH_PAIR_WEIGHT);
    if (part.isRepeated) part.terms = terms;
    part.isRepeated = true;
  }

  private readWord(word: string): ReadWord {
    const known = termOf(word);
    const term = this.add(known.term.hash, known.term);
    this.join(known);
    return { term, known };
  }

  /** Adds the pair of the previous word and this one. */
  private join({ term, joins }: WordTerm): void {
    if (!joins) return;
    const { previous } = this;
    this.previous = term;
    if (!previous) return;
    const hash = mixHashes(previous.hash, term.hash, PAIR_SALT);
    const known = this.terms.get(hash);
    if (known) known.count += 1;
    else {
      const weight = PAIR_WEIGHT * Math.sqrt(previous.weight * term.weight);
      this.terms.set(hash, { hash, weight, spread: PAIR_SPREAD, spelling: undefined, count: 1 });
    }
  }

  private readCharacters(text: string, weight: number, pairWeight: number): Term[] {
    const read: Term[] = [];
    this.previous = undefined;
    let before: number | undefined;
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      const ownWeight = isHiragana(code) ? weight * HIRAGANA_FACTOR : weight;
      read.push(this.addSign(mixHashes(code, 0, SYMBOL_SALT), ownWeight));
      if (before !== undefined) {
        const isEnding = isHiragana(before) && isHiragana(code);
        const both = isEnding ? pairWeight * HIRAGANA_FACTOR : pairWeight;
        read.push(this.addSign(mixHashes(before, code, SYMBOL_SALT), both));
      }
      before = code;
    }
    return read;
  }

  private addSign(hash: number, weight: number): Term {
    return this.add(hash, { weight, spread: WORD_SPREAD, spelling: undefined });
  }

  private add(hash: number, { weight, spread, spelling }: Omit<Term, 'hash' | 'count'>): Term {
    const known = this.terms.get(hash);
    if (known) {
      known.count += 1;
      return known;
    }
    const term = { hash, weight, spread, spelling, count: 1 };
    this.terms.set(hash, term);
    return term;
  }
}

/** A word of a text. */
interface ReadWord {
  readonly term: Term;
  readonly known: WordTerm;
}

/** A word in lower case, or a run of a script without spaces. */
interface Part {
  readonly text: string;
  readonly isWord: boolean;
  /** True if the text has the run more than once. */
  isRepeated?: boolean;
  /** The terms of a run, as often as it has them. */
  terms?: readonly Term[];
}

/** Returns the words that an apostrophe joins, without a last one that tells nothing. */
function wordsOfElision(token: string): string[] {
  const parts = token.split(APOSTROPHE);
  const last = parts.at(-1)?.toLowerCase() ?? '';
  const head = parts[0]?.toLowerCase() ?? '';
  if (last === 't' && parts.length === 2 && head.endsWith('n')) return [NEGATED.get(head) ?? head.slice(0, -1), 'not'];
  return CLITICS.has(last) ? parts.slice(0, -1) : parts;
}

function partsOf(piece: string): Part[] {
  const folded = NOT_ASCII.test(piece) ? foldAccents(piece) : piece;
  if (!HAS_UNSPACED.test(folded)) return wordsOf(folded);
  return (folded.match(SCRIPT_RUN) ?? []).flatMap((run) =>
    HAS_UNSPACED.test(run) ? [{ text: run, isWord: false }] : wordsOf(run),
  );
}

/** Returns a word between spaces, and the words and numbers that it is put together from. */
function wordsOf(word: string): Part[] {
  const [, number, unit] = NUMBER_AND_UNIT.exec(word) ?? [];
  const parts = number !== undefined && unit !== undefined ? [number, unit] : word.split(HUMP);
  const words = number === undefined ? [word] : [];
  if (parts.length > 1) words.push(...parts);
  return words.map((each) => ({ text: each.toLowerCase(), isWord: true }));
}

function isHiragana(code: number): boolean {
  return code >= FIRST_HIRAGANA && code <= LAST_HIRAGANA;
}

function foldAccents(word: string): string {
  return word.normalize('NFKD').replace(ACCENTS, '').slice(0, MAX_FOLDED_LENGTH).normalize('NFC');
}

function termOf(word: string): WordTerm {
  const known = knowWord(word);
  known.term ??= newTerm(known);
  return known.term;
}

function newTerm({ text, stem, weight, isFunctionWord }: KnownWord): WordTerm {
  const spelling = isFunctionWord ? undefined : text;
  return { term: { hash: hashText(stem, WORD_SALT), weight, spread: WORD_SPREAD, spelling }, joins: !isFunctionWord };
}
