import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);

/**
 * Returns the built module that a thread runs, even if this module runs from source.
 *
 * @param path path in the folder of the adapter, without the extension
 */
export function workerFile(path: string): string {
  return resolve(`#sqlite/${path}.js`);
}
