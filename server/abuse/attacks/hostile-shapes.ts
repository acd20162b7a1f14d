const KEYS = 40_000;

/** Returns memory bodies with difficult JSON: deep, wide, repeated, or with unusual names and numbers. */
export function hostileShapes(): string[] {
  const metadata = (json: string) => `{"content":"a","metadata":${json}}`;
  const keys = (count: number, name: (n: number) => string) =>
    `{${Array.from({ length: count }, (_, n) => `"${name(n)}":${n}`).join(',')}}`;
  const depths = [9, 100, 1_000, 100_000, 500_000];
  const inMetadata = [
    ...depths.flatMap((depth) => [
      '['.repeat(depth) + ']'.repeat(depth),
      nested('{"a":', '1', '}', depth),
      '['.repeat(depth),
    ]),
    keys(KEYS, (n) => `k${n}`),
    keys(KEYS, () => 'k'),
    keys(256, (n) => `${n}`),
    keys(KEYS, (n) => `__proto__${n}`),
    '{"__proto__":{"a":1},"constructor":{"prototype":{}}}',
    `[${'0,'.repeat(900_000)}0]`,
    `{"a":[${'[],'.repeat(600_000)}[]]}`,
    `{"a":"${'x'.repeat(1_900_000)}"}`,
    `{"a":"${'\\u0041'.repeat(300_000)}"}`,
    `{"a":"${'\\"'.repeat(900_000)}"}`,
    `{"a":${'9'.repeat(1_000_000)}}`,
    `{"a":0.${'1'.repeat(1_000_000)}}`,
    `{"a":1e${'9'.repeat(1_000_000)}}`,
    `{"a":-0}`,
    `{"${'k'.repeat(1_000_000)}":1}`,
    `{"a":"${'\\ud800'.repeat(100_000)}"}`,
    `{"a":${' '.repeat(1_900_000)}1}`,
    `{"a":"${'\ufdfa'.repeat(20_000)}"}`,
    `{"a":"${'\u0300\u0316'.repeat(15_000)}"}`,
  ].map(metadata);
  const others = [
    `{"content":"a",${keys(100_000, (n) => `unknown${n}`).slice(1)}`,
    `{"content":"${'\\u0000'.repeat(100_000)}"}`,
    `{"content":"a","scope":${nested('{"source":', '1', '}', 50_000)}}`,
    `{"content":${'['.repeat(1_000_000)}`,
    `${' '.repeat(2_000_000)}`,
    `{"content":"a"}${' '.repeat(2_000_000)}`,
  ];
  return [...inMetadata, ...others];
}

function nested(open: string, inner: string, close: string, depth: number): string {
  return open.repeat(depth) + inner + close.repeat(depth);
}
