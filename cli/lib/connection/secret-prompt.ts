import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Asks for a secret without echo. Reads a line of standard input if it is not a terminal. */
export async function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // The echo is discarded. The question is written to standard error instead.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY === true });
  if (stdin.isTTY) stderr.write(question);
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
    if (stdin.isTTY) stderr.write('\n');
  }
}
