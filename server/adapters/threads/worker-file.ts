import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);

/** Returns the built module for a thread, by its path in the adapters' folder without extension. */
export function workerFile(path: string): string {
  return resolve(`#workers/${path}.js`);
}
