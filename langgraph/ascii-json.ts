/**
 * Writes a value as JSON in ASCII. The service stores texts in Unicode NFC and rejects some characters; escaped, every
 * text is returned as it was.
 */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\u0080-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
