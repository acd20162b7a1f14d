import { readFile } from 'node:fs/promises';
import { EXIT } from '../../exit-codes.js';
import { CommandError } from '../output/explain-error.js';

export interface ContentInput {
  /** The content, or `-` for standard input. */
  argument: string | undefined;
  /** Path of a file with the content. */
  file: string | undefined;
  stdin: AsyncIterable<Buffer | string> & { isTTY?: boolean };
}

/**
 * Reads the content of a memory from an argument, a file or standard input. Returns undefined if none is given and
 * standard input is a terminal.
 *
 * @throws {CommandError} if both are given, or a file is not valid UTF-8
 */
export async function readContent({ argument, file, stdin }: ContentInput): Promise<string | undefined> {
  if (argument !== undefined && file !== undefined) throw fault('pass the content or --file, not both');
  if (file !== undefined) return decode(await readBytes(file), file);
  if (argument !== undefined && argument !== '-') return argument;
  if (argument === undefined && stdin.isTTY) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  return bytes.length === 0 && argument === undefined ? undefined : decode(bytes, 'standard input');
}

/** @throws {CommandError} if the bytes are not UTF-8 */
export function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw fault(`${name} is not UTF-8 text`);
  }
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read: you lack the permission',
  EISDIR: 'is a folder, not a file',
};

/** Returns the error for a file or folder that cannot be read. */
export function unreadable(path: string, error: unknown): CommandError {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return fault(`${path} ${REASONS[code] ?? `cannot be read: ${code}`}`);
}

function fault(message: string): CommandError {
  return new CommandError(message, { exit: EXIT.usage });
}
