import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { lazily } from '../contract/lazily.js';
import { ServedDocument } from '../contract/served-document.js';
import { HTML, type PageFile } from './pages.js';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': HTML,
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** Names the files of a folder, so that no other file can be read. Each is read when it is first asked for. */
export function listFiles(folder: string, cacheControl: string): ReadonlyMap<string, () => PageFile> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile());
  return new Map(
    files.map(({ name }) => [
      name,
      lazily(() => ({
        document: new ServedDocument(readFileSync(join(folder, name)), cacheControl),
        mediaType: MEDIA_TYPES[extname(name)] ?? 'application/octet-stream',
        isNegotiated: false,
      })),
    ]),
  );
}
