import { SEARCH } from '../alone.js';
import type { World } from '../world.js';
import { Chroma } from './chroma.js';
import { isLibrary, LIBRARIES } from './libraries.js';
import { LibraryPeer } from './library-peer.js';
import type { Peer, PeerItem, PeerQuery } from './peer.js';

/** A content and its vector before it has an id. */
export type NewItem = Omit<PeerItem, 'id'>;

export interface Question extends PeerQuery {
  query: string;
}

/** The service as a side of the comparison. It gets texts, embeds and de-duplicates them. */
export class Ours {
  constructor(private readonly world: World) {}

  /** Stores items in one batch, and returns them with the ids that they got. */
  async addBatch(items: readonly NewItem[]): Promise<PeerItem[]> {
    const body = { items: items.map(({ content, kind }) => ({ content, metadata: { kind } })) };
    const answer = await this.world.client(0).ok('POST', '/api/memories/batch', body);
    const { results } = answer as { results: { id: string; outcome: string }[] };
    return items.flatMap((item, at) => {
      const result = results[at];
      return result?.outcome === 'created' ? [{ ...item, id: result.id }] : [];
    });
  }

  async add({ content, kind }: NewItem): Promise<string> {
    const answer = await this.world.client(0).ok('POST', '/api/memories', { content, metadata: { kind } });
    return (answer as { id: string }).id;
  }

  async search({ query, limit, kind }: Question): Promise<string[]> {
    const body = { query, limit, ...(kind !== undefined && { filter: { kind } }) };
    const answer = await this.world.client(0).ok('POST', SEARCH, body);
    return (answer as { results: { id: string }[] }).results.map(({ id }) => id);
  }

  async restart(): Promise<void> {
    await this.world.start();
    await this.world.client(0).ok('GET', '/health/ready');
  }

  async end(): Promise<void> {
    await this.world.end('SIGTERM');
  }
}

const PEERS: readonly string[] = ['chroma', ...Object.keys(LIBRARIES)];

/** Installs a peer in a folder of its own if it is not there, with its data in `folder`. */
export async function installPeer(name: string, folder: string): Promise<Peer> {
  if (name === 'chroma') return Chroma.install(folder);
  if (isLibrary(name)) return LibraryPeer.install(name, folder);
  throw new Error(`There is no peer ${name}. Peers are ${PEERS.join(', ')}`);
}
