import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Asks for something that must not be seen. Reads a line of standard input where that is no terminal. */
export async function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // Echo goes nowhere; the question itself is written past it.
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
