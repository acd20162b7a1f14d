import { join } from 'node:path';
import { EXIT } from '../exit-codes.js';
import { CommandError } from './explain-error.js';
import { type Login, loginPath, readLogin } from './login-file.js';

/** Where requests go, and as whom. */
export interface Connection {
  baseUrl: string;
  token: string | undefined;
  organizationId: string | undefined;
  /** What the token was taken from. */
  source: 'flags or environment' | 'memory login' | 'credentials.json' | 'nowhere';
}

/** What flags and environment variables say. */
export interface Given {
  baseUrl?: string | undefined;
  token?: string | undefined;
  organizationId?: string | undefined;
}

export interface Places {
  /** Of the user: holds the file of `memory login`. */
  configDir: string;
  /** Of a service on this machine: holds `credentials.json`. */
  dataDir: string;
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:8080';

/**
 * Flags and environment come first, then the login, then the credentials that
 * a service on this machine wrote on its first start. A kept token only goes
 * to the service that it was kept for.
 */
export async function resolveConnection(given: Given, places: Places): Promise<Connection> {
  if (given.token !== undefined) {
    const baseUrl = given.baseUrl ?? (await firstKept(given, places))?.login.baseUrl ?? DEFAULT_BASE_URL;
    return { baseUrl, token: given.token, organizationId: given.organizationId, source: 'flags or environment' };
  }
  const kept = await firstKept(given, places);
  if (!kept) {
    const { baseUrl = DEFAULT_BASE_URL, organizationId } = given;
    return { baseUrl, token: undefined, organizationId, source: 'nowhere' };
  }
  const { baseUrl, token, organizationId } = kept.login;
  return { baseUrl, token, organizationId: given.organizationId ?? organizationId, source: kept.source };
}

/** @throws {CommandError} when there is no token to send */
export function requireToken({ token, baseUrl }: Connection): void {
  if (token !== undefined) return;
  throw new CommandError(
    `no credentials for ${baseUrl}: run "memory login", set MEMORY_TOKEN, or run this where the service keeps its data`,
    { exit: EXIT.denied },
  );
}

async function firstKept(
  { baseUrl }: Given,
  { configDir, dataDir }: Places,
): Promise<{ login: Login; source: Connection['source'] } | undefined> {
  const login = await readLogin(loginPath(configDir));
  if (login && isFor(login, baseUrl)) return { login, source: 'memory login' };
  const credentials = await readLogin(join(dataDir, 'credentials.json'));
  return credentials && isFor(credentials, baseUrl) ? { login: credentials, source: 'credentials.json' } : undefined;
}

function isFor(login: Login, baseUrl: string | undefined): boolean {
  return baseUrl === undefined || withoutSlash(login.baseUrl) === withoutSlash(baseUrl);
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
