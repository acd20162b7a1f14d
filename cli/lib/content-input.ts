import { readFile } from 'node:fs/promises';
import { EXIT } from '../exit-codes.js';
import { CommandError } from './explain-error.js';

export interface ContentInput {
  /** The text itself; `-` stands for standard input. */
  argument: string | undefined;
  /** A file that holds it. */
  file: string | undefined;
  stdin: AsyncIterable<Buffer | string> & { isTTY?: boolean };
}

/**
 * The text of a memory from where the user has it; undefined where none was
 * given and standard input is a terminal.
 *
 * @throws {CommandError} for two texts at once, and for a file that cannot be read as UTF-8
 */
export async function readContent({ argument, file, stdin }: ContentInput): Promise<string | undefined> {
  if (argument !== undefined && file !== undefined) throw fault('give the text or --file, not both');
  if (file !== undefined) return decode(await readBytes(file), file);
  if (argument !== undefined && argument !== '-') return argument;
  if (argument === undefined && stdin.isTTY) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  return bytes.length === 0 && argument === undefined ? undefined : decode(bytes, 'standard input');
}

/** @throws {CommandError} for bytes that are not UTF-8 */
export function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw fault(`${name} is not text in UTF-8`);
  }
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw fault(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function fault(message: string): CommandError {
  return new CommandError(message, { exit: EXIT.usage });
}
