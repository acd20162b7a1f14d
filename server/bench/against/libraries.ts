import { openLance } from './lancedb.js';
import type { PeerItem, PeerQuery } from './peer.js';
import { openSqliteVec } from './sqlite-vec.js';

/** A vector library, opened on a folder. Writes are durable when `add` resolves. */
export interface Library {
  add(items: readonly PeerItem[]): Promise<void>;
  /** Returns the results, best first. */
  search(query: PeerQuery): Promise<readonly { id: string; content: string; kind: string }[]>;
}

interface LibraryPackages {
  /** The packages to install, as `name@version`. The first is the library. */
  packages: readonly [string, ...string[]];
  /** @param modules the folder that contains the installed packages */
  open(modules: string, folder: string): Promise<Library>;
}

export const LIBRARIES = {
  lancedb: { packages: ['@lancedb/lancedb@0.39.0', 'apache-arrow@18.1.0'], open: openLance },
  'sqlite-vec': { packages: ['sqlite-vec@0.1.9'], open: openSqliteVec },
} satisfies Record<string, LibraryPackages>;

export type LibraryName = keyof typeof LIBRARIES;

export function isLibrary(name: string): name is LibraryName {
  return Object.hasOwn(LIBRARIES, name);
}
