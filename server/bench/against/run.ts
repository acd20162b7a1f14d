import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { builtPackage } from '../../testing/processes/server-process.js';
import type { Corpus } from '../corpus.js';
import { World } from '../world.js';
import { Comparison } from './comparison.js';
import { printComparison } from './comparison-table.js';
import { installPeer, Ours } from './sides.js';

interface AgainstRun {
  /** The names of the peers. */
  names: readonly string[];
  sizes: readonly number[];
  clients: number;
}

/**
 * Measures the service and other services and libraries in one run: the same contents and vectors, the same client over
 * HTTP, in turn. The peers are installed outside the repository. Each size starts with empty stores.
 */
export async function benchAgainst(folder: string, corpus: Corpus, { names, sizes, clients }: AgainstRun) {
  for (const size of sizes) {
    const own = join(folder, `against-${size}`);
    const peers = await Promise.all(names.map((name) => installPeer(name, join(own, name))));
    await mkdir(own, { recursive: true });
    const world = await World.start(builtPackage('server'), own, 1);
    try {
      for (const peer of peers) await peer.start();
      const compared = await new Comparison(new Ours(world), peers, corpus, clients).measure(size);
      for (const [at, { name, version }] of peers.entries()) {
        printComparison(`${name} ${version}`, size, compared[at] ?? []);
      }
    } finally {
      for (const peer of peers) await peer.stop();
      await world.stop();
    }
  }
}
