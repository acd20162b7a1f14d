import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT } from '../../exit-codes.js';
import { CommandError } from './explain-error.js';

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A part of an id. The first characters of an id are its time, so that those of one minute begin alike. */
const SHORT = /^[0-9a-f-]{8,35}$/;
/** How many ids are kept for each organization. */
const KEPT = 1_000;

/** Returns the path of the ids that were printed for an organization. */
export function printedIdsPath(folder: string, of: readonly (string | undefined)[]): string {
  const name = createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 32);
  return join(folder, 'printed-ids', `${name}.json`);
}

/** Adds ids to those that were printed. */
export async function notePrintedIds(path: string, ids: readonly string[]): Promise<void> {
  const whole = ids.filter((id) => ID.test(id));
  if (whole.length === 0) return;
  const kept = [...new Set([...whole, ...(await readPrintedIds(path))])].slice(0, KEPT);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Commands that run at the same time must not write the same draft.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, JSON.stringify(kept), { mode: 0o600 });
  await rename(draft, path);
}

/** Reports if a text may be the beginning or the end of an id. */
export function isShortId(text: string): boolean {
  return SHORT.test(text);
}

/**
 * Returns the printed id that begins or ends with a text.
 *
 * @throws {CommandError} if there is none, or more than one
 */
export async function resolveShortId(path: string, text: string): Promise<string> {
  const printed = await readPrintedIds(path);
  const [id, ...others] = printed.filter((one) => one.startsWith(text) || one.endsWith(text));
  if (id === undefined) {
    throw fault(`no id that was printed here begins or ends with ${text}: pass the whole id`);
  }
  if (others.length === 0) return id;
  throw fault(`${text} is ambiguous:${[id, ...others].map((one) => `\n  ${one}`).join('')}`);
}

/** Returns no ids if the file is missing or damaged: nothing is lost with it. */
async function readPrintedIds(path: string): Promise<string[]> {
  try {
    const ids: unknown = JSON.parse(await readFile(path, 'utf8'));
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string' && ID.test(id)) : [];
  } catch {
    return [];
  }
}

function fault(message: string): CommandError {
  return new CommandError(message, { exit: EXIT.usage });
}
