import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from './config.js';

/** The values that a client on this machine needs to use the service during development. */
export interface Credentials {
  baseUrl: string;
  organizationId: string;
  token: string;
}

/** Returns the path of the first start's credentials, which only their owner may read. */
export function credentialsPath(dataDir: string): string {
  return join(dataDir, 'credentials.json');
}

/** Returns the credentials, or undefined if there are none. @throws {ConfigError} when the file cannot be read */
export async function readCredentials(dataDir: string): Promise<Credentials | undefined> {
  try {
    return JSON.parse(await readFile(credentialsPath(dataDir), 'utf8')) as Credentials;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError([`fix or remove ${credentialsPath(dataDir)}: it cannot be read`], error);
  }
}

/** Replaces earlier credentials atomically. */
export async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  const path = credentialsPath(dataDir);
  const draft = `${path}.new`;
  await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}
