import { once } from 'node:events';

/** Writes a line of output, and waits if the reader is slower. */
export async function printLine(stream: NodeJS.WritableStream, line: string): Promise<void> {
  await printText(stream, `${line}\n`);
}

/** Writes a piece of output, and waits if the reader is slower. */
export async function printText(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}
