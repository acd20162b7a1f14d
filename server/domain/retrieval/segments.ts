/** Scripts whose signs are syllables or words, and scripts of letters, all written without spaces between words. */
const IDEOGRAPHIC = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー';
const LETTERED = '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const HAS_UNSPACED = new RegExp(`[${IDEOGRAPHIC}${LETTERED}]`, 'u');
const RUN = new RegExp(`[${IDEOGRAPHIC}]+|[${LETTERED}]+|[^${IDEOGRAPHIC}${LETTERED}]+`, 'gu');
const IS_LETTERED = new RegExp(`^[${LETTERED}]`, 'u');
const HAS_PICTOGRAPH = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u;
const HAN = /\p{Script=Han}/u;
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
  // Without marks, NFC only puts the syllables of Hangul together again.
  for (const [run] of word.normalize('NFC').matchAll(RUN)) {
    if (segments.length >= most) break;
    if (HAS_UNSPACED.test(run)) addSegments(segments, run, purpose, most);
    else segments.push(run);
  }
  return segments;
}

function addSegments(segments: string[], run: string, purpose: 'document' | 'query', most: number): void {
  const length = IS_LETTERED.test(run) ? OF_LETTERS : OF_SIGNS;
  // Each character begins a segment, and has at most two code units.
  const characters = Array.from(run.slice(0, 2 * (most - segments.length + length)));
  if (characters.length < length) {
    segments.push(run);
    return;
  }
  const hasHan = purpose === 'document' && HAN.test(run);
  for (let at = 0; at < characters.length && segments.length < most; at += 1) {
    const character = characters[at] ?? '';
    if (at + length <= characters.length) {
      let segment = character;
      for (let next = at + 1; next < at + length; next += 1) segment += characters[next];
      segments.push(segment);
    }
    if (hasHan && segments.length < most && HAN.test(character)) segments.push(character);
  }
}
