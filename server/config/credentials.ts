import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from './config.js';

/** What a client on this machine needs to use the service during development. */
export interface Credentials {
  baseUrl: string;
  organizationId: string;
  token: string;
}

/** Where the credentials of the first start are kept, readable by their owner alone. */
export function credentialsPath(dataDir: string): string {
  return join(dataDir, 'credentials.json');
}

/** Undefined when there are none. @throws {ConfigError} when the file cannot be read */
export async function readCredentials(dataDir: string): Promise<Credentials | undefined> {
  try {
    return JSON.parse(await readFile(credentialsPath(dataDir), 'utf8')) as Credentials;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError([`mend or remove ${credentialsPath(dataDir)}: it cannot be read`], error);
  }
}

/** Takes the place of earlier ones in one step. */
export async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  const path = credentialsPath(dataDir);
  const draft = `${path}.new`;
  await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}
