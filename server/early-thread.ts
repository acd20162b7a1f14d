import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { hasIndexFiles, INDEX_FOLDER } from './adapters/sqlite/vector-index/file/index-folder.js';
import { IndexThread } from './adapters/sqlite/vector-index/reader/index-thread.js';
import type { Config } from './config/config.js';

/**
 * Starts the thread that reads the index files of the embedded store, if there are any. It starts while the main thread
 * loads the modules of the service, and reads while the service starts. So the first search finds its index in memory.
 * With a single processor it would delay the start.
 */
export function startIndexThread({ store, dataDir }: Config): IndexThread | undefined {
  if (store.kind !== 'sqlite' || availableParallelism() === 1 || !hasIndexFiles(dataDir)) return undefined;
  const thread = new IndexThread();
  thread.start({ folder: join(dataDir, INDEX_FOLDER), maxBytes: store.indexBytes });
  return thread;
}
