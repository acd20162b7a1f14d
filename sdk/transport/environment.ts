import type { MemoryClientOptions } from '../options.js';

/** The service, credential and organization of a client. */
export type Connection = Pick<MemoryClientOptions, 'baseUrl' | 'token' | 'organizationId'>;

const DEFAULT_DATA_DIR = 'data';
const CREDENTIALS_FILE = 'credentials.json';

/**
 * Fills in missing options from the environment and then, outside production, from the `credentials.json` that a server
 * writes at its first start. The token of that file is sent only to the server of that file.
 *
 * @throws {TypeError} if that file exists and is not valid
 */
export function connectionOf(options: Connection): Connection {
  const baseUrl = options.baseUrl ?? variable('MEMORY_BASE_URL');
  const token = options.token ?? variable('MEMORY_TOKEN');
  const organizationId = options.organizationId ?? variable('MEMORY_ORGANIZATION_ID');
  const stated = { baseUrl, token, organizationId };
  if (baseUrl !== undefined && token !== undefined) return stated;

  const saved = readCredentials();
  if (saved === undefined) return stated;
  if (baseUrl !== undefined && trimSlashes(baseUrl) !== trimSlashes(saved.baseUrl)) return stated;
  if (token !== undefined) return { ...stated, baseUrl: saved.baseUrl };
  return { baseUrl: saved.baseUrl, token: saved.token, organizationId: organizationId ?? saved.organizationId };
}

export function trimSlashes(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Returns `memory-service-sdk/<version>`, or undefined in a browser, which sends its own. */
export function userAgent(version: string): string | undefined {
  return isNode() ? `memory-service-sdk/${version}` : undefined;
}

interface Saved {
  baseUrl: string;
  token: string;
  organizationId?: string;
}

function readCredentials(): Saved | undefined {
  if (!isNode() || isProduction()) return undefined;
  const path = `${variable('SERVICE_DATA_DIR') ?? DEFAULT_DATA_DIR}/${CREDENTIALS_FILE}`;
  const text = readFileIfThere(path);
  if (text === undefined) return undefined;
  const saved = parseCredentials(text);
  if (saved === undefined) throw new TypeError(`${path} does not contain baseUrl and token: correct or remove it`);
  return saved;
}

/** Reads a file. Loads `node:fs` at run time, since an import would break the bundle of a browser. */
function readFileIfThere(path: string): string | undefined {
  try {
    return process.getBuiltinModule?.('node:fs').readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function parseCredentials(text: string): Saved | undefined {
  try {
    const { baseUrl, token, organizationId } = JSON.parse(text) as Record<string, unknown>;
    if (typeof baseUrl !== 'string' || typeof token !== 'string') return undefined;
    return { baseUrl, token, ...(typeof organizationId === 'string' && { organizationId }) };
  } catch {
    return undefined;
  }
}

function isProduction(): boolean {
  return [variable('NODE_ENV'), variable('APP_ENV')].includes('production');
}

export function isNode(): boolean {
  return typeof process !== 'undefined' && process.versions?.node !== undefined;
}

/** Reads a variable. Returns undefined if reading is not permitted, for example under Deno without `--allow-env`. */
export function variable(name: string): string | undefined {
  try {
    return (typeof process === 'undefined' ? undefined : process.env?.[name]) || undefined;
  } catch {
    return undefined;
  }
}
