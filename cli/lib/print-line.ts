import { once } from 'node:events';

/** Writes a line of output, and waits if the reader is slower. */
export async function printLine(stream: NodeJS.WritableStream, line: string): Promise<void> {
  if (!stream.write(`${line}\n`)) await once(stream, 'drain');
}
