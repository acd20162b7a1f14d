import { copyText } from '../../../domain/text/unicode.js';
import { hashText, mixHashes } from './hash.js';
import { lookUp } from './lexicon.js';

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
const MAX_KNOWN_WORDS = 50_000;
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

interface KnownWord {
  readonly term: Readonly<Omit<Term, 'count'>>;
  readonly joins: boolean;
}

/** Words met before. It only saves time: an entry is a function of its word. */
const knownWords = new Map<string, KnownWord>();

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
  /** Parts of the pieces read before. */
  private readonly parts = new Map<string, readonly Part[]>();
  private previous: KnownWord['term'] | undefined;

  readToken(token: string): void {
    if (PLAIN_WORD.test(token)) {
      this.readWord(token.toLowerCase());
      return;
    }
    if (APOSTROPHE.test(token)) {
      this.readElision(token);
      return;
    }
    for (let start = 0; start < token.length; start += MAX_WORD_LENGTH) {
      const piece = token.length <= MAX_WORD_LENGTH ? token : token.slice(start, start + MAX_WORD_LENGTH);
      this.readPiece(piece);
    }
  }

  /** Reads signs by character and by pair, for text that has no words. */
  readSigns(text: string): void {
    this.readCharacters(text, SYMBOL_WEIGHT, SYMBOL_WEIGHT);
  }

  private readElision(token: string): void {
    const parts = token.split(APOSTROPHE);
    const last = parts.at(-1)?.toLowerCase() ?? '';
    const head = parts[0]?.toLowerCase() ?? '';
    if (last === 't' && parts.length === 2 && head.endsWith('n')) {
      this.readToken(NEGATED.get(head) ?? head.slice(0, -1));
      this.readToken('not');
      return;
    }
    for (const part of CLITICS.has(last) ? parts.slice(0, -1) : parts) this.readToken(part);
  }

  private readPiece(piece: string): void {
    let parts = this.parts.get(piece);
    if (parts === undefined) {
      parts = partsOf(piece);
      this.parts.set(piece, parts);
    }
    for (const { text, isWord } of parts) {
      if (isWord) this.readWord(text);
      else this.readCharacters(text, IDEOGRAPH_WEIGHT, IDEOGRAPH_PAIR_WEIGHT);
    }
  }

  private readWord(word: string): void {
    const { term, joins } = knowWord(word);
    this.add(term.hash, term.weight, term.spread, term.spelling);
    if (!joins) return;
    if (this.previous) {
      const weight = PAIR_WEIGHT * Math.sqrt(this.previous.weight * term.weight);
      this.add(mixHashes(this.previous.hash, term.hash, PAIR_SALT), weight, PAIR_SPREAD, undefined);
    }
    this.previous = term;
  }

  private readCharacters(text: string, weight: number, pairWeight: number): void {
    this.previous = undefined;
    let before: number | undefined;
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      const ownWeight = isHiragana(code) ? weight * HIRAGANA_FACTOR : weight;
      this.add(mixHashes(code, 0, SYMBOL_SALT), ownWeight, WORD_SPREAD, undefined);
      if (before !== undefined) {
        const isEnding = isHiragana(before) && isHiragana(code);
        const both = isEnding ? pairWeight * HIRAGANA_FACTOR : pairWeight;
        this.add(mixHashes(before, code, SYMBOL_SALT), both, WORD_SPREAD, undefined);
      }
      before = code;
    }
  }

  private add(hash: number, weight: number, spread: number, spelling: string | undefined): void {
    const known = this.terms.get(hash);
    if (known) known.count += 1;
    else this.terms.set(hash, { hash, weight, spread, spelling, count: 1 });
  }
}

/** A word in lower case, or a run of a script without spaces. */
interface Part {
  readonly text: string;
  readonly isWord: boolean;
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

function knowWord(word: string): KnownWord {
  const known = knownWords.get(word);
  if (known) return known;
  const key = copyText(word);
  const { stem, weight, isFunctionWord } = lookUp(key);
  const term = {
    hash: hashText(stem, WORD_SALT),
    weight,
    spread: WORD_SPREAD,
    spelling: isFunctionWord ? undefined : key,
  };
  const entry = { term, joins: !isFunctionWord };
  if (knownWords.size >= MAX_KNOWN_WORDS) knownWords.clear();
  knownWords.set(key, entry);
  return entry;
}
