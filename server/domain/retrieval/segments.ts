import { CodePointClass } from '../text/code-point-class.js';
import { unitsOf } from '../text/code-units.js';

/** Scripts whose signs are syllables or words, and scripts of letters, all written without spaces between words. */
const IDEOGRAPHIC = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー';
const LETTERED = '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const HAS_UNSPACED = new RegExp(`[${IDEOGRAPHIC}${LETTERED}]`, 'u');
const RUN = new RegExp(`[${IDEOGRAPHIC}]+|[${LETTERED}]+|[^${IDEOGRAPHIC}${LETTERED}]+`, 'gu');
const IS_LETTERED = new RegExp(`^[${LETTERED}]`, 'u');
const HAS_PICTOGRAPH = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u;
/** The letters that Hangul syllables are made of. */
const HAS_JAMO = /[\u1100-\u11ff]/;
const HAS_HAN = /\p{Script=Han}/u;
const HAN = new CodePointClass(HAS_HAN);
const NOT_ASCII = /[^\0-\x7f]/;

/** Characters of a segment that overlaps the next one in all but its first character. */
const OF_SIGNS = 2;
const OF_LETTERS = 3;

/** Reports if a text has parts that are not separated by spaces: such scripts, flags or pictographs. */
export function hasSegments(text: string): boolean {
  return NOT_ASCII.test(text) && (HAS_UNSPACED.test(text) || HAS_PICTOGRAPH.test(text));
}

/**
 * Cuts a run of letters and digits where its script needs that: Chinese, Japanese, Korean, Thai and the like into
 * overlapping pairs of signs or triples of letters. They need no dictionary, so an index never depends on the version
 * of one. Documents have each Chinese character besides, for queries of one.
 *
 * @param word without marks and case
 * @param most maximum number of segments; the rest of the word is left out
 */
export function segmentsOf(word: string, purpose: 'document' | 'query', most = Number.MAX_SAFE_INTEGER): string[] {
  if (!NOT_ASCII.test(word) || !HAS_UNSPACED.test(word)) return [word];
  const segments: string[] = [];
  for (const [run] of composed(word).matchAll(RUN)) {
    if (segments.length >= most) break;
    if (HAS_UNSPACED.test(run)) addSegments(segments, run, purpose, most);
    else segments.push(run);
  }
  return segments;
}

/** Puts the syllables of Hangul together again. Without marks, NFC does nothing else. */
function composed(word: string): string {
  return HAS_JAMO.test(word) ? word.normalize('NFC') : word;
}

function addSegments(segments: string[], run: string, purpose: 'document' | 'query', most: number): void {
  const length = IS_LETTERED.test(run) ? OF_LETTERS : OF_SIGNS;
  let end = endAfter(run, 0, length);
  if (end === undefined) {
    segments.push(run);
    return;
  }
  const hasHan = purpose === 'document' && HAS_HAN.test(run);
  for (let at = 0; at < run.length && segments.length < most; ) {
    const codePoint = run.codePointAt(at) ?? 0;
    const next = at + unitsOf(codePoint);
    if (end !== undefined) {
      segments.push(run.slice(at, end));
      end = endAfter(run, end, 1);
    }
    if (hasHan && segments.length < most && HAN.has(codePoint)) segments.push(run.slice(at, next));
    at = next;
  }
}

/** Returns the end of a number of characters from `start`, or undefined if there are fewer. */
function endAfter(text: string, start: number, characters: number): number | undefined {
  let end = start;
  for (let count = 0; count < characters; count += 1) {
    if (end >= text.length) return undefined;
    end += unitsOf(text.codePointAt(end) ?? 0);
  }
  return end;
}
