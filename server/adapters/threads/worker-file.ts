import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);

/**
 * Returns the built module that a thread runs, even if this file runs from its source.
 *
 * @param path path in the folder of the adapters, without extension
 */
export function workerFile(path: string): string {
  return resolve(`#workers/${path}.js`);
}
