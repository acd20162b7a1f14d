import { createReadStream } from 'node:fs';

const NEWLINE = 0x0a;

/** A line of a file with its position. */
export interface PlacedLine {
  text: string;
  /** Bytes, like `length`, which excludes the line break. */
  start: number;
  length: number;
}

/** Yields the lines of a UTF-8 file. The last one may lack its newline. */
export async function* placedLines(path: string): AsyncGenerator<PlacedLine, void, undefined> {
  let parts: Buffer[] = [];
  let [start, at] = [0, 0];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield placed([...parts, chunk.subarray(from, end)], start);
      [parts, from] = [[], end + 1];
      start = at + from;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
    at += chunk.length;
  }
  if (parts.length > 0) yield placed(parts, start);
}

function placed(parts: readonly Buffer[], start: number): PlacedLine {
  const bytes = Buffer.concat(parts);
  return { text: bytes.toString('utf8'), start, length: bytes.length };
}
