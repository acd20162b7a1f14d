import { readFileSync, renameSync, writeFileSync } from 'node:fs';
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
export function readCredentials(dataDir: string): Credentials | undefined {
  try {
    return JSON.parse(readFileSync(credentialsPath(dataDir), 'utf8')) as Credentials;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError([`fix or remove ${credentialsPath(dataDir)}: it cannot be read`], error);
  }
}

/** Replaces earlier credentials atomically. */
export function writeCredentials(dataDir: string, credentials: Credentials): void {
  const path = credentialsPath(dataDir);
  const draft = `${path}.new`;
  writeFileSync(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}
