/** Longer words are no words; the model has nothing for them. */
const MAX_WORD_LENGTH = 100;
/** Characters of the longest piece of the vocabulary. */
const MAX_PIECE_LENGTH = 18;
const CONTINUES = '##';

const ASCII = /^[\0-\x7f]*$/;
const CONTROL = /[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]/gu;
const ACCENT = /\p{Mn}+/gu;
const IDEOGRAPH =
  /[\u{4e00}-\u{9fff}\u{3400}-\u{4dbf}\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{f900}-\u{faff}\u{2f800}-\u{2fa1f}]/gu;
/** A sign of its own, or a run of whatever is neither white space nor such a sign. */
const TOKEN = /[\p{P}$+<=>^`|~]|[^\p{White_Space}\p{P}$+<=>^`|~]+/gu;

/**
 * The words and signs of a text as the model was taught them: in lower case, without accents and control characters,
 * each ideograph alone. Agrees with the tokenizer of the model (`BertNormalizer`, `BertPreTokenizer`).
 */
export function splitWords(text: string): string[] {
  return (ASCII.test(text) ? cleaned(text).toLowerCase() : folded(text)).match(TOKEN) ?? [];
}

function cleaned(text: string): string {
  return text.replace(CONTROL, '');
}

function folded(text: string): string {
  const spaced = cleaned(text).replace(IDEOGRAPH, ' $& ');
  // The sigma at the end of a word is one like the others.
  return spaced.normalize('NFD').replace(ACCENT, '').replaceAll('Σ', 'σ').toLowerCase();
}

/**
 * The pieces that a word is made of: the longest that the vocabulary has, from the front.
 *
 * @param vocabulary ids by piece; `##` before those that go on with a word
 * @returns nothing for a word that cannot be put together
 */
export function piecesOf(word: string, vocabulary: ReadonlyMap<string, number>): number[] {
  const characters = ASCII.test(word) ? word : Array.from(word);
  if (characters.length > MAX_WORD_LENGTH) return [];
  const pieces: number[] = [];
  for (let start = 0; start < characters.length; ) {
    let end = Math.min(characters.length, start + MAX_PIECE_LENGTH);
    let id: number | undefined;
    for (; end > start && id === undefined; end--) {
      const part = characters.slice(start, end);
      const text = typeof part === 'string' ? part : part.join('');
      id = vocabulary.get(start === 0 ? text : CONTINUES + text);
    }
    if (id === undefined) return [];
    pieces.push(id);
    start = end + 1;
  }
  return pieces;
}
