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
  for (const [token] of text.matchAll(TOKEN)) reader.readToken(token);
  if (reader.terms.size === 0) reader.readSigns(text.trim());
  if (reader.terms.size === 0) reader.readSigns(' ');
  return [...reader.terms.values()];
}

class TermReader {
  readonly terms = new Map<number, Term>();
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
    const folded = NOT_ASCII.test(piece) ? foldAccents(piece) : piece;
    if (!HAS_UNSPACED.test(folded)) {
      this.readSpacedWord(folded);
      return;
    }
    for (const [run] of folded.matchAll(SCRIPT_RUN)) {
      if (HAS_UNSPACED.test(run)) this.readCharacters(run, IDEOGRAPH_WEIGHT, IDEOGRAPH_PAIR_WEIGHT);
      else this.readSpacedWord(run);
    }
  }

  private readSpacedWord(word: string): void {
    const [, number, unit] = NUMBER_AND_UNIT.exec(word) ?? [];
    const parts = number !== undefined && unit !== undefined ? [number, unit] : word.split(HUMP);
    if (number === undefined) this.readWord(word.toLowerCase());
    if (parts.length > 1) for (const part of parts) this.readWord(part.toLowerCase());
  }

  private readWord(word: string): void {
    const { term, joins } = knowWord(word);
    this.add(term);
    if (!joins) return;
    if (this.previous) {
      this.add({
        hash: mixHashes(this.previous.hash, term.hash, PAIR_SALT),
        weight: PAIR_WEIGHT * Math.sqrt(this.previous.weight * term.weight),
        spread: PAIR_SPREAD,
        spelling: undefined,
      });
    }
    this.previous = term;
  }

  private readCharacters(text: string, weight: number, pairWeight: number): void {
    this.previous = undefined;
    let before: number | undefined;
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      this.addSymbol(mixHashes(code, 0, SYMBOL_SALT), isHiragana(code) ? weight * HIRAGANA_FACTOR : weight);
      if (before !== undefined) {
        const isEnding = isHiragana(before) && isHiragana(code);
        this.addSymbol(mixHashes(before, code, SYMBOL_SALT), isEnding ? pairWeight * HIRAGANA_FACTOR : pairWeight);
      }
      before = code;
    }
  }

  private addSymbol(hash: number, weight: number): void {
    this.add({ hash, weight, spread: WORD_SPREAD, spelling: undefined });
  }

  private add(term: Readonly<Omit<Term, 'count'>>): void {
    const known = this.terms.get(term.hash);
    if (known) known.count += 1;
    else {
      const { hash, weight, spread, spelling } = term;
      this.terms.set(hash, { hash, weight, spread, spelling, count: 1 });
    }
  }
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
