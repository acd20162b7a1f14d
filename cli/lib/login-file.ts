import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT } from '../exit-codes.js';
import { CommandError } from './explain-error.js';

/** The contents of the file that `memory login` writes. */
export interface Login {
  baseUrl: string;
  token: string;
  organizationId?: string;
}

export function loginPath(configDir: string): string {
  return join(configDir, 'login.json');
}

/** Returns undefined if there is no login. @throws {CommandError} if the file is not one of `memory login` */
export async function readLogin(path: string): Promise<Login | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(path);
  }
  const login = parse(text);
  if (!isLogin(login)) throw unreadable(path);
  return login;
}

/** Replaces the login atomically. Only the owner of the file can read it. */
export async function writeLogin(path: string, login: Login): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.new`;
  await writeFile(draft, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}

export async function removeLogin(path: string): Promise<void> {
  await rm(path, { force: true });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isLogin(value: unknown): value is Login {
  if (typeof value !== 'object' || value === null) return false;
  const { baseUrl, token } = value as Partial<Login>;
  return typeof baseUrl === 'string' && typeof token === 'string';
}

function unreadable(path: string): CommandError {
  return new CommandError(`${path} cannot be read: remove it, or run "memory login" again`, { exit: EXIT.usage });
}
