import { CodeUnits, endOfRun, unitsOf } from './code-units.js';

const UNITS = 0x10000;
const MAX_KNOWN_FORMS = 20_000;

/** Replaces each character of a text. It remembers the forms: a lookup takes a tenth of the time of normalizing. */
export class CharacterForms {
  /** The form of each code unit. 0 for halves of pairs, and if it has none or several code units, or was not met. */
  private readonly single = new Uint16Array(UNITS);
  /** Cache of the forms of other code points. */
  private readonly others = new Map<number, string>();

  /** @param formOf returns the form of a character */
  constructor(private readonly formOf: (character: string) => string) {}

  /**
   * Returns the form of a text.
   *
   * @param maxLength maximum length of the result in UTF-16 code units
   */
  of(text: string, maxLength: number): string {
    const { single, others } = this;
    const result = new CodeUnits(text.length);
    for (let at = 0; at < text.length && result.length < maxLength; ) {
      const one = single[text.charCodeAt(at)] ?? 0;
      if (one !== 0) {
        result.add(one);
        at += 1;
        continue;
      }
      const codePoint = text.codePointAt(at) ?? 0;
      const form = others.get(codePoint) ?? this.read(codePoint);
      const units = unitsOf(codePoint);
      const end = endOfRun(text, at, units);
      // The length of the result has a bound, so a part of the run may be enough.
      const most = Math.ceil((maxLength - result.length) / Math.max(1, form.length));
      result.addTimes(form, Math.min((end - at) / units, most));
      at = end;
    }
    return result.toText(maxLength);
  }

  private read(codePoint: number): string {
    const form = this.formOf(String.fromCodePoint(codePoint));
    const isPairOrHalf = codePoint >= UNITS || (codePoint >= 0xd800 && codePoint <= 0xdfff);
    if (form.length === 1 && !isPairOrHalf) {
      this.single[codePoint] = form.charCodeAt(0);
      return form;
    }
    if (this.others.size >= MAX_KNOWN_FORMS) this.others.clear();
    this.others.set(codePoint, form);
    return form;
  }
}
