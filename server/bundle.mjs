// Joins the compiled modules of the server into few files: Node takes longer to find and read some hundreds of modules
// than to run them. What the server depends on stays outside, so that npm installs and audits it. The output is not
// minified: stacks name the functions, and each part names its module.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const DIST = fileURLToPath(new URL('dist', import.meta.url));
const MODULES = join(DIST, 'modules');

/** What Node starts: the programs in `bin` with what they import first, and the threads and processes that the embedded store starts. */
const ENTRIES = [
  'open-files',
  'main',
  'open-files',
  'operator/provision',
  'operator/reembed',
  'operator/reencrypt',
  'operator/setup-mongodb',
  'adapters/sqlite/engine/log/checkpoint-worker',
  'adapters/sqlite/engine/log/compaction-worker',
  'adapters/sqlite/engine/page-check-process',
  'adapters/sqlite/memories/read-worker',
  'adapters/sqlite/vector-index/scan/scan-worker',
  'adapters/password/password-worker',
  'adapters/text-work/text-worker',
];

// Files of an earlier build would be published with those of this one.
for (const name of readdirSync(DIST)) if (name !== 'modules') rmSync(join(DIST, name), { recursive: true });

const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((name) => [name, join(MODULES, `${name}.js`)])),
  platform: 'node',
  external: /^[^./]/,
});
await bundle.write({ dir: DIST, chunkFileNames: 'chunks/[name]-[hash].js' });
await bundle.close();
