import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadRequestError, UnprocessableError } from '../../../errors.js';
import { refusedAt } from '../../../testing/app/refused.js';
import { parseJson } from './json.js';
import { JsonShape } from './json-shape.js';

describe('parseJson', () => {
  test('returns the result of JSON.parse, for up to 32 levels', () => {
    const text = fc.json({ maxDepth: 8, stringUnit: 'binary' }).filter((json) => json === json.toWellFormed());
    fc.assert(
      fc.property(text, (json) => {
        if (holdsNull(json)) expect(() => parseJson(Buffer.from(json))).toThrow(UnprocessableError);
        else expect(parseJson(Buffer.from(json))).toEqual(JSON.parse(json));
      }),
    );
  });

  test.each([
    ['a string', '{"a":[0,{"b":"x\\u0000"}]}', 'a.1.b'],
    ['a key', '{"a":{"b\\u0000":1}}', 'a.b'],
    ['a string after a backslash', '{"a":"\\\\\\u0000"}', 'a'],
  ])('rejects U+0000 in %s, and names its path', (_, json, path) => {
    expect(() => parseJson(Buffer.from(json))).toThrow(refusedAt(path));
  });

  test('accepts an escaped backslash before u0000', () => {
    expect(parseJson(Buffer.from('"\\\\u0000"'))).toBe('\\u0000');
  });

  test('skips the member that is checked later', () => {
    expect(parseJson(Buffer.from('{"a":{"b":["\\u0000"]}}'), { checkedLater: 'a.b' })).toEqual({ a: { b: ['\0'] } });
  });

  test('rejects exactly what JSON.parse rejects', () => {
    const text = fc.stringMatching(/^[[\]{}",:\\a1 ]{0,12}$/);
    fc.assert(
      fc.property(text, (json) => {
        expect(outcome(() => parseJson(Buffer.from(json)))).toEqual(outcome(() => JSON.parse(json)));
      }),
      { numRuns: 5_000 },
    );
  });

  test('counts objects and lists together, and none inside strings', () => {
    const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}0${'}]'.repeat(levels / 2)}`;

    expect(() => parseJson(Buffer.from(nested(32)))).not.toThrow();
    expect(() => parseJson(Buffer.from(nested(34)))).toThrow(UnprocessableError);
    expect(() => parseJson(Buffer.from(JSON.stringify(`\\"${nested(34)}`)))).not.toThrow();
  });

  test('stops at the first bracket that is too deep, and reads each byte at most three times', () => {
    const deep = watched('['.repeat(2_000_000));
    const unclosed = [`"${'\\'.repeat(200_000)}`, `"${'\\"'.repeat(100_000)}`];

    expect(() => parseJson(deep.bytes)).toThrow(UnprocessableError);
    expect(deep.reads()).toBeLessThan(100);
    for (const text of unclosed) {
      expect(() => parseJson(Buffer.from(text))).toThrow(BadRequestError);
      const { bytes, reads } = watched(text);
      // The parser after the count does not accept the stand-in for a Buffer.
      expect(() => parseJson(bytes)).toThrow(TypeError);
      expect(reads()).toBeLessThanOrEqual(3 * bytes.length);
    }
  });
});

describe('the values of a body', () => {
  test('are limited before parsing: all values, and members of one object', () => {
    const bounds = { values: 5 };

    expect(() => parseJson(Buffer.from('[1,2,3,4,5]'), bounds)).not.toThrow();
    expect(() => parseJson(Buffer.from('[1,2,3,4,5,6]'), bounds)).toThrow('The body must contain at most 5 values');
    expect(() => parseJson(Buffer.from('[{},[],[],"[,,,,,]"]'), { values: 8 })).not.toThrow();
    expect(() => parseJson(objectOf(1_000))).not.toThrow();
    expect(() => parseJson(objectOf(1_001))).toThrow('The body must have at most 1000 members in an object');
  });

  test('are counted independently of the chunks of its bytes', () => {
    const rules = { values: 6 };
    const text = fc.stringMatching(/^[[\]{}",:\\a1 ]{0,24}$/).map((json) => Buffer.from(json));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (bytes, size) => {
        const inChunks = new JsonShape(rules);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
          bytes.subarray(n * size, (n + 1) * size),
        );
        const whole = outcome(() => new JsonShape(rules).take(bytes));
        const takeChunks = () => {
          for (const chunk of chunks) inChunks.take(chunk);
        };
        expect(outcome(takeChunks)).toEqual(whole);
      }),
      { numRuns: 5_000 },
    );
  });

  test('cause the error of assertItems if a list is too long', () => {
    const assertItems = (count: number) => {
      if (count > 2) throw new Error(`${count} items`);
    };

    expect(() => parseJson(Buffer.from('{"items":[{},{},{},{}]}'), { values: 6, assertItems })).toThrow('3 items');
    expect(() => parseJson(Buffer.from('{"items":[{"a":[1,2,3,4]}]}'), { values: 5, assertItems })).toThrow(
      UnprocessableError,
    );
  });

  test.each([
    ['ten million objects', `{"items":[${'{},'.repeat(10_000_000)}{}]}`],
    ['two million unknown keys', `{${Array.from({ length: 2_000_000 }, (_, key) => `"k${key}":1`).join()}}`],
  ])('are rejected without reading on: %s', (_, text) => {
    const { bytes, reads } = watched(text);

    expect(() => parseJson(bytes)).toThrow(UnprocessableError);
    expect(reads()).toBeLessThan(bytes.length / 20);
  });
});

/** Returns the bytes of a text, and a count of those that were read. */
function watched(text: string): { bytes: Buffer; reads: () => number } {
  let reads = 0;
  const bytes = new Proxy(Buffer.from(text), {
    get(target, key) {
      if (typeof key === 'string' && /^\d/.test(key)) reads += 1;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? searched(value.bind(target)) : value;
    },
  });
  return { bytes, reads: () => reads };

  /** Counts a search as the bytes from its start to its result. */
  function searched(method: (...args: unknown[]) => unknown) {
    return (...args: unknown[]) => {
      const result = method(...args);
      const [, from] = args;
      if (typeof from === 'number' && typeof result === 'number') reads += result - from;
      return result;
    };
  }
}

function objectOf(members: number): Buffer {
  return Buffer.from(`{${Array.from({ length: members }, (_, key) => `"k${key}":0`).join()}}`);
}

function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch {
    return 'refused';
  }
}

function holdsNull(json: string): boolean {
  let isHeld = false;
  JSON.parse(json, (key, value: unknown) => {
    isHeld ||= `${key}${typeof value === 'string' ? value : ''}`.includes('\0');
    return value;
  });
  return isHeld;
}
