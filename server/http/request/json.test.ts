import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadRequestError, UnprocessableError } from '../../errors.js';
import { refusedAt } from '../../testing/app/refused.js';
import { parseJson } from './json.js';
import { JsonShape } from './json-shape.js';

describe('parseJson', () => {
  test('gives what JSON.parse gives, for everything that is nested at most 32 levels', () => {
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
    ['a string behind a backslash', '{"a":"\\\\\\u0000"}', 'a'],
  ])('refuses U+0000 in %s, and names where it is', (_, json, path) => {
    expect(() => parseJson(Buffer.from(json))).toThrow(refusedAt(path));
  });

  test('takes a backslash, a u and zeros for what they are', () => {
    expect(parseJson(Buffer.from('"\\\\u0000"'))).toBe('\\u0000');
  });

  test('leaves the member that somebody else looks at', () => {
    expect(parseJson(Buffer.from('{"a":{"b":["\\u0000"]}}'), { checkedLater: 'a.b' })).toEqual({ a: { b: ['\0'] } });
  });

  test('refuses exactly what JSON.parse refuses', () => {
    const text = fc.stringMatching(/^[[\]{}",:\\a1 ]{0,12}$/);
    fc.assert(
      fc.property(text, (json) => {
        expect(outcome(() => parseJson(Buffer.from(json)))).toEqual(outcome(() => JSON.parse(json)));
      }),
      { numRuns: 5_000 },
    );
  });

  test('counts objects and lists together, and none that stand in a string', () => {
    const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}0${'}]'.repeat(levels / 2)}`;

    expect(() => parseJson(Buffer.from(nested(32)))).not.toThrow();
    expect(() => parseJson(Buffer.from(nested(34)))).toThrow(UnprocessableError);
    expect(() => parseJson(Buffer.from(JSON.stringify(`\\"${nested(34)}`)))).not.toThrow();
  });

  test('refuses depth before it reads on, and reads each byte a few times at most', () => {
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

describe('what a body holds', () => {
  test('is bounded before it is parsed: values in all, and members of one object', () => {
    const bounds = { values: 5 };

    expect(() => parseJson(Buffer.from('[1,2,3,4,5]'), bounds)).not.toThrow();
    expect(() => parseJson(Buffer.from('[1,2,3,4,5,6]'), bounds)).toThrow('The body must hold at most 5 values');
    expect(() => parseJson(Buffer.from('[{},[],[],"[,,,,,]"]'), { values: 8 })).not.toThrow();
    expect(() => parseJson(objectOf(1_000))).not.toThrow();
    expect(() => parseJson(objectOf(1_001))).toThrow('The body must have at most 1000 members in an object');
  });

  test('is counted alike however its bytes come in chunks', () => {
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

  test('is told of a list that is too long by whoever knows how long it may be', () => {
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
  ])('is refused without reading on: %s', (_, text) => {
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
