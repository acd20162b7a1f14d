import { once } from 'node:events';

/** Writes a line of output, and waits if the reader is slower. */
export async function printLine(stream: NodeJS.WritableStream, line: string): Promise<void> {
  await printText(stream, `${line}\n`);
}

/** Writes a piece of output, and waits if the reader is slower. */
export async function printText(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}

/** Waits until everything written is out. Rejects if the reader has stopped. */
export async function written(stream: NodeJS.WritableStream): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write('', (error) => (error ? reject(error) : resolve()));
  });
}
