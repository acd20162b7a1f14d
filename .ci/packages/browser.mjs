import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** Entry for browsers → its maximum size in bytes, minified and compressed. */
const ENTRIES = {
  '@memory-service/sdk': 12_000,
  '@memory-service/sdk/archive': 12_000,
  '@memory-service/sdk/webhooks': 3_000,
};
const OF_NODE = /\b(?:from|import|require)\s*\(?["'](?:node:)?(?:fs|path|crypto|http|net)["']/;

/** Bundles the entries of the client that is installed in `folder` for a browser, and lets it make a call there. */
export async function checkBrowser(folder, print) {
  const faults = await Promise.all(Object.entries(ENTRIES).map((entry) => bundle(folder, ...entry, print)));
  return faults.flat();
}

async function bundle(folder, entry, maxBytes, print) {
  const input = join(folder, `${entry.replaceAll('/', '-')}.js`);
  await writeFile(input, `export * from '${entry}';\n`);
  const build = await rolldown({ input, platform: 'browser', logLevel: 'silent' });
  const { output } = await build.generate({ format: 'esm', minify: true });
  const { output: script } = await build.generate({ format: 'iife', name: 'sdk' });
  await build.close();

  const code = output.map((chunk) => chunk.code ?? '').join('');
  const bytes = gzipSync(code).length;
  print(`${entry} in a browser: ${kilobytes(code.length)} minified, ${kilobytes(bytes)} compressed`);
  const imported = output.flatMap((chunk) => [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])]);
  return [
    ...imported.map((module) => `${entry} imports ${module}, which a browser lacks`),
    ...(OF_NODE.test(code) ? [`${entry} imports a module of Node`] : []),
    ...(await runInBrowser(entry, script[0].code)),
    ...(bytes > maxBytes ? [`${entry} is ${bytes} bytes compressed, more than ${maxBytes}`] : []),
  ];
}

/** Runs a bundle with only the globals of browsers. */
async function runInBrowser(entry, code) {
  const names = ['AbortController', 'Headers', 'Request', 'Response', 'TextDecoder', 'TextEncoder', 'URL'];
  const functions = ['atob', 'btoa', 'clearTimeout', 'setTimeout', 'crypto'];
  const browser = createContext(Object.fromEntries([...names, ...functions].map((name) => [name, globalThis[name]])));
  try {
    runInContext(`${code};\nglobalThis.sdk = sdk;`, browser);
    const fetch = async () => Response.json({ status: 'ok' });
    const { MemoryClient } = browser.sdk;
    if (MemoryClient) await new MemoryClient({ baseUrl: 'https://memory.test', token: 'a', fetch }).stats();
    return [];
  } catch (error) {
    return [`${entry} does not run in a browser: ${error.message}`];
  }
}

function kilobytes(bytes) {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}
