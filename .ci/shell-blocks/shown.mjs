/** Compares the output in a document with the real output. JSON must have the same keys, at every level, with values
 * of the same types. Of text each line must be there, in this order, but for ids, tokens, numbers and widths of columns.
 *
 * @returns what differs, in words
 */
export function compareShown({ language, code }, output) {
  return language === 'json' ? compareJson(code, output) : compareText(code, output);
}

function compareJson(shown, output) {
  const expected = shapeOf(parse(shown));
  const found = shapeOf(parse(output));
  return expected === found ? [] : [`the document shows ${expected}, but there is ${found}`];
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The keys and types of a value, as text. A list has the shape of its first item. */
function shapeOf(value) {
  if (Array.isArray(value)) return `[${value.slice(0, 1).map(shapeOf)}]`;
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const members = Object.entries(value).map(([key, member]) => `${key}: ${shapeOf(member)}`);
  return `{${members.sort().join(', ')}}`;
}

function compareText(shown, output) {
  const lines = output.split('\n').map(withoutValues);
  let next = 0;
  for (const line of shown.trimEnd().split('\n')) {
    const at = lines.indexOf(withoutValues(line), next);
    if (at < 0) return [`the document shows "${line}", which is not in the output`];
    next = at + 1;
  }
  return [];
}

function withoutValues(line) {
  return line
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'ID')
    .replaceAll(/msk_[^\s"']+/g, 'TOKEN')
    .replaceAll(/\d+(?:\.\d+)?/g, '0')
    .replaceAll(/\s+/g, ' ');
}
