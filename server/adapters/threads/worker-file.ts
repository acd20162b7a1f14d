import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);

/** The built module that a thread runs, also where this one is run from its source. @param path in the folder of the adapters, without its ending */
export function workerFile(path: string): string {
  return resolve(`#workers/${path}.js`);
}
