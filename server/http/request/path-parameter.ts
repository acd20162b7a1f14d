import { holdsNull } from './null-character.js';

/**
 * The text that a part of a path stands for. What cannot be decoded, and what decodes to U+0000, stays as it was sent:
 * such a text is no id, and is answered like any other unknown one.
 */
export function decodeParameter(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    return holdsNull(decoded) ? text : decoded;
  } catch {
    return text;
  }
}
