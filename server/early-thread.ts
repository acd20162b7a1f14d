import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { IndexFileThread } from './adapters/sqlite/vector-index/file/index-file-thread.js';
import { hasIndexFiles, INDEX_FOLDER } from './adapters/sqlite/vector-index/file/index-folder.js';
import type { Config } from './config/config.js';

/**
 * Starts the thread that reads the index files of the embedded store, if there are any. It starts while the main thread
 * loads the modules of the service, and reads while the service starts. So the first search finds its index in memory.
 * With a single processor it would delay the start.
 */
export function startIndexFileThread({ store, dataDir }: Config): IndexFileThread | undefined {
  if (store.kind !== 'sqlite' || availableParallelism() === 1 || !hasIndexFiles(dataDir)) return undefined;
  const thread = new IndexFileThread();
  thread.start({ folder: join(dataDir, INDEX_FOLDER), maxBytes: store.indexBytes });
  return thread;
}
