import { join } from 'node:path';
import { EXIT } from '../../exit-codes.js';
import { CommandError } from '../output/explain-error.js';
import { type Login, loginPath, readLogin, readProfiles, unknownProfile } from './login-file.js';

/** The service, token and organization of a run. */
export interface Connection {
  baseUrl: string;
  token: string | undefined;
  organizationId: string | undefined;
  /** The source of the token. */
  source: 'flags or environment' | `profile ${string}` | 'credentials.json' | 'nowhere';
}

/** The values of flags and environment variables. */
export interface Given {
  baseUrl?: string | undefined;
  token?: string | undefined;
  organizationId?: string | undefined;
  /** The name of a saved login. Default: the current one. */
  profile?: string | undefined;
}

export interface Places {
  /** The configuration folder of the user, with the file of `memory login`. */
  configDir: string;
  /** The data folder of a service on this machine, with `credentials.json`. */
  dataDir: string;
}

export const DEFAULT_BASE_URL = 'http://127.0.0.1:8080';

/**
 * Resolves the connection from flags and environment, then from the login, then from the credentials that a service on
 * this machine wrote at its first start. A saved token is sent only to the service that it was saved for.
 *
 * @throws {CommandError} if there is no profile with the given name
 */
export async function resolveConnection(given: Given, places: Places): Promise<Connection> {
  if (given.token !== undefined) {
    const baseUrl = given.baseUrl ?? (await firstSaved(given, places))?.login.baseUrl ?? DEFAULT_BASE_URL;
    return { baseUrl, token: given.token, organizationId: given.organizationId, source: 'flags or environment' };
  }
  const saved = await firstSaved(given, places);
  if (!saved) {
    const { baseUrl = DEFAULT_BASE_URL, organizationId } = given;
    return { baseUrl, token: undefined, organizationId, source: 'nowhere' };
  }
  const { baseUrl, token, organizationId } = saved.login;
  return { baseUrl, token, organizationId: given.organizationId ?? organizationId, source: saved.source };
}

/** Returns a base URL of the user. @throws {CommandError} if it is not an HTTP URL */
export function checkBaseUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/i.test(text)) return text;
  throw new CommandError(
    `${JSON.stringify(text)} is not the address of a service, which begins with http:// or https://`,
    { exit: EXIT.usage },
  );
}

/** @throws {CommandError} if there is no token */
export function requireToken({ token, baseUrl }: Connection): void {
  if (token !== undefined) return;
  throw new CommandError(
    `no credentials for ${baseUrl}: run "memory login", set MEMORY_TOKEN, or run this in the folder of the service`,
    { exit: EXIT.denied },
  );
}

async function firstSaved(
  { baseUrl, profile }: Given,
  { configDir, dataDir }: Places,
): Promise<{ login: Login; source: Connection['source'] } | undefined> {
  const { current, profiles } = await readProfiles(loginPath(configDir));
  const name = profile ?? current;
  const login = profiles[name];
  if (profile !== undefined && !login) throw unknownProfile(profile, profiles);
  if (login && isFor(login, baseUrl)) return { login, source: `profile ${name}` };
  if (profile !== undefined) return undefined;
  const credentials = await readLogin(join(dataDir, 'credentials.json'));
  return credentials && isFor(credentials, baseUrl) ? { login: credentials, source: 'credentials.json' } : undefined;
}

function isFor(login: Login, baseUrl: string | undefined): boolean {
  return baseUrl === undefined || withoutSlash(login.baseUrl) === withoutSlash(baseUrl);
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
