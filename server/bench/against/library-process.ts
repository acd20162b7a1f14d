import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { isLibrary, LIBRARIES } from './libraries.js';
import type { PeerItem, PeerQuery } from './peer.js';

/**
 * Serves a library over bare HTTP as a process. Its arguments are the name of the library, the folder of its packages
 * and the folder of its data.
 */
const [name = '', modules = '', folder = ''] = process.argv.slice(2);
if (!isLibrary(name)) throw new Error(`There is no library ${name}`);
await mkdir(folder, { recursive: true });
const library = await LIBRARIES[name].open(modules, folder);

async function answer(path: string | undefined, body: unknown): Promise<unknown> {
  if (path === '/search') return library.search(body as PeerQuery);
  await library.add(body as PeerItem[]);
  return {};
}

const server = createServer((request, response) => {
  json(request)
    .then((body) => answer(request.url, body))
    .then(
      (result) => response.end(JSON.stringify(result)),
      (error: unknown) => response.writeHead(500).end(JSON.stringify(String(error))),
    );
}).listen(0, '127.0.0.1', () => {
  console.log((server.address() as AddressInfo).port);
});
