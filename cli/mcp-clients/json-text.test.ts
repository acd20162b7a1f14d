import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonTextError, parseJsonText, setMember } from './json-text.js';

const SERVER = { url: 'https://memory.example.com/mcp' };
const PATH = ['mcpServers', 'memory'];

describe('setting a member', () => {
  test.each([
    ['an empty text', ''],
    ['an empty object', '{}'],
    ['an object without the path', '{"theme":"dark"}'],
    ['an object with the parent', '{"mcpServers":{"other":{"url":"x"}}}'],
    ['an empty parent', '{\n  "mcpServers": {\n  }\n}\n'],
    ['a list', '{"mcpServers":{"memory":[1,2]}}'],
    ['the member itself', '{"mcpServers":{"memory":{"url":"old","headers":{"a":"b"}},"other":1}}'],
  ])('of %s gives the same value as assigning it', (_, text) => {
    const expected = (text === '' ? {} : JSON.parse(text)) as { mcpServers?: object };
    expected.mcpServers = { ...expected.mcpServers, memory: SERVER };

    expect(JSON.parse(setMember(text, PATH, SERVER))).toEqual(expected);
  });

  test('keeps comments, trailing commas, order and indentation', () => {
    const text = `{
\t// Mine.
\t"theme": "dark", /* keep */
\t"mcpServers": {
\t\t"other": { "url": "x" }, // a trailing comma
\t},
}
`;

    expect(setMember(text, PATH, SERVER)).toBe(`{
\t// Mine.
\t"theme": "dark", /* keep */
\t"mcpServers": {
\t\t"other": { "url": "x" }, // a trailing comma
\t\t"memory": {
\t\t\t"url": "https://memory.example.com/mcp"
\t\t}
\t},
}
`);
  });

  test('adds the comma before a comment', () => {
    expect(setMember('{\n  "a": 1 // one\n}\n', ['b'], 2)).toBe('{\n  "a": 1, // one\n  "b": 2\n}\n');
  });

  test('changes nothing but the member, whatever else the text has', () => {
    const anything = fc.dictionary(fc.string(), fc.jsonValue());

    fc.assert(
      fc.property(anything, fc.constantFrom(undefined, 2, '\t'), (given, indent) => {
        const before = JSON.stringify(given, undefined, indent);
        const value = JSON.parse(before) as typeof given;
        const { mcpServers } = value;
        const parent = typeof mcpServers === 'object' && !Array.isArray(mcpServers) ? mcpServers : {};
        fc.pre(!Object.hasOwn(value, '__proto__') && (mcpServers === undefined || parent === mcpServers));
        fc.pre(parent !== null);
        const after = setMember(before, PATH, SERVER);
        expect(JSON.parse(after)).toEqual({ ...value, mcpServers: { ...parent, memory: SERVER } });
        expect(setMember(after, PATH, SERVER)).toBe(after);
      }),
      { numRuns: 200, seed: 7 },
    );
  });

  test.each([
    ['[]', 'the file is not an object'],
    ['{"mcpServers":[]}', 'mcpServers is not an object'],
    ['{"mcpServers":{"memory"}}', 'line 1 is not valid JSON'],
    ['{\n"a": 1\n"b": 2}', 'line 3 is not valid JSON'],
    ['{"a": 01}', 'line 1 is not valid JSON'],
    ['{"a": 1} 2', 'line 1 is not valid JSON'],
    ['{"a": "x', 'line 1 is not valid JSON'],
  ])('of %s is rejected: %s', (text, message) => {
    expect(() => setMember(text, PATH, SERVER)).toThrow(JsonTextError);
    expect(() => setMember(text, PATH, SERVER)).toThrow(message);
  });

  test('sets the last of several equal keys, which is the one that counts', () => {
    expect(JSON.parse(setMember('{"a":1,"a":2}', ['a'], 3))).toEqual({ a: 3 });
  });
});

test('parsing accepts a byte order mark and comments with quotes', () => {
  expect(parseJsonText('\ufeff{ // "x": {\n "a": "// no comment" }')).toEqual({ a: '// no comment' });
});
