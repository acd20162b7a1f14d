import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT } from '../../exit-codes.js';
import { CommandError } from '../output/explain-error.js';

/** A service, and the token for it. */
export interface Login {
  baseUrl: string;
  token: string;
  organizationId?: string;
}

/** The contents of the file that `memory login` writes. */
export interface Profiles {
  /** The profile of commands that name none. */
  current: string;
  profiles: Record<string, Login>;
}

export const DEFAULT_PROFILE = 'default';
const NAME = /^\w[\w.-]{0,63}$/;

export function loginPath(configDir: string): string {
  return join(configDir, 'login.json');
}

/** @throws {CommandError} if the name cannot be that of a profile */
export function checkProfileName(name: string): string {
  if (NAME.test(name)) return name;
  throw new CommandError(`"${name}" is not a valid profile name: use up to 64 letters, digits, _, - and .`, {
    exit: EXIT.usage,
  });
}

/** Reads a file with one login, such as `credentials.json`. Returns undefined if there is none. @throws {CommandError} */
export async function readLogin(path: string): Promise<Login | undefined> {
  const login = await readJson(path);
  if (login === undefined || isLogin(login)) return login;
  throw unreadable(path);
}

/** Returns no profiles if there is no file. @throws {CommandError} if the file is not one of `memory login` */
export async function readProfiles(path: string): Promise<Profiles> {
  const value = await readJson(path);
  if (value === undefined) return { current: DEFAULT_PROFILE, profiles: withoutInherited({}) };
  if (isProfiles(value)) return { current: value.current, profiles: withoutInherited(value.profiles) };
  // Earlier releases kept one login.
  if (isLogin(value)) return { current: DEFAULT_PROFILE, profiles: withoutInherited({ [DEFAULT_PROFILE]: value }) };
  throw unreadable(path);
}

/** Replaces the profiles atomically. Only the owner of the file can read it. Without profiles, the file is removed. */
export async function writeProfiles(path: string, profiles: Profiles): Promise<void> {
  if (Object.keys(profiles.profiles).length === 0) {
    await rm(path, { force: true });
    return;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}

/** Removes a profile. If it was the current one, another one becomes current. @throws {CommandError} if it does not exist */
export async function removeProfile(path: string, name: string): Promise<Profiles> {
  const { current, profiles } = await readProfiles(path);
  if (profiles[name] === undefined) throw unknownProfile(name, profiles);
  const { [name]: _, ...left } = profiles;
  const next = { current: current === name ? (Object.keys(left)[0] ?? DEFAULT_PROFILE) : current, profiles: left };
  await writeProfiles(path, next);
  return next;
}

export function unknownProfile(name: string, profiles: Profiles['profiles']): CommandError {
  const names = Object.keys(profiles);
  const advice = names.length === 0 ? 'run "memory login"' : `there are ${names.join(', ')}`;
  return new CommandError(`there is no profile "${name}": ${advice}`, { exit: EXIT.usage });
}

/** Returns a record in which a profile named `constructor` exists only if it was saved. */
function withoutInherited(profiles: Record<string, Login>): Record<string, Login> {
  return Object.assign(Object.create(null) as Record<string, Login>, profiles);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(path);
  }
}

function isLogin(value: unknown): value is Login {
  if (typeof value !== 'object' || value === null) return false;
  const { baseUrl, token } = value as Partial<Login>;
  return typeof baseUrl === 'string' && typeof token === 'string';
}

function isProfiles(value: unknown): value is Profiles {
  if (typeof value !== 'object' || value === null) return false;
  const { current, profiles } = value as Partial<Profiles>;
  if (typeof current !== 'string' || typeof profiles !== 'object' || profiles === null) return false;
  return Object.values(profiles).every(isLogin);
}

function unreadable(path: string): CommandError {
  return new CommandError(`${path} cannot be read: remove it, or run "memory login" again`, { exit: EXIT.usage });
}
