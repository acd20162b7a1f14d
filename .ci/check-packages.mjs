#!/usr/bin/env node
// Packs the package as it would be published, and checks that those who install it can use it: what package.json
// promises (publint), the types under every way of resolving them (attw), the client in a browser, and what it is to
// somebody who installs it in an empty folder.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { rolldown } from 'rolldown';
import { checkStrangersPath } from './strangers-path.mjs';

/** What may be imported in a browser, and how many bytes of it, minified and compressed, are too many. */
const BROWSER_ENTRIES = { '@memory-service/sdk': 16_000, '@memory-service/sdk/webhooks': 3_000 };
/** The package is ESM for Node 20 and later; resolutions that know neither `exports` nor ESM are not served. */
const UNSERVED_RESOLUTIONS = ['node10', 'node16-cjs'];

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'memory-package-'));
const faults = [];

try {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const path = await pack();
  const tarball = await readFile(path);
  faults.push(...(await lint(tarball, manifest)), ...(await checkTypes(tarball)));
  for (const [entry, maxBytes] of Object.entries(BROWSER_ENTRIES)) {
    faults.push(...(await bundle(entry, manifest, maxBytes)));
  }
  faults.push(...(await checkStrangersPath(path, folder)));
} finally {
  await rm(folder, { recursive: true, force: true });
}

for (const fault of faults) console.error(`fault: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function pack() {
  const [{ filename, size, entryCount }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], { cwd: root, encoding: 'utf8' }),
  );
  console.log(`package: ${entryCount} files, ${kilobytes(size)} packed`);
  const path = join(folder, filename);
  execFileSync('tar', ['-xzf', path, '-C', folder]);
  return path;
}

async function lint(tarball, manifest) {
  const { messages } = await publint({ pack: { tarball: toArrayBuffer(tarball) }, strict: true });
  console.log(`publint: ${messages.length} messages`);
  return messages.map((message) => `publint: ${formatMessage(message, manifest, { color: false }) ?? message.code}`);
}

async function checkTypes(tarball) {
  const { problems = [], entrypoints = {} } = await checkPackage(
    createPackageFromTarballData(new Uint8Array(tarball)),
    {
      excludeEntrypoints: ['./openapi.yaml'],
    },
  );
  const served = problems.filter(({ resolutionKind }) => !UNSERVED_RESOLUTIONS.includes(resolutionKind));
  console.log(`types: ${Object.keys(entrypoints).length} entry points, ${served.length} problems`);
  return served.map((problem) => `types: ${JSON.stringify(problem)}`);
}

/** Bundles an entry of the packed package for a browser, in which nothing of Node may be left. */
async function bundle(entry, { name, exports }, maxBytes) {
  const target = exports[`.${entry.slice(name.length)}`].default;
  const input = join(folder, `${entry.replaceAll('/', '-')}.js`);
  await writeFile(input, `export * from '${join(folder, 'package', target)}';\n`);
  const build = await rolldown({ input, platform: 'browser', logLevel: 'silent' });
  const { output } = await build.generate({ format: 'esm', minify: true });
  const { output: script } = await build.generate({ format: 'iife', name: 'sdk' });
  await build.close();

  const code = output.map((chunk) => chunk.code ?? '').join('');
  const bytes = gzipSync(code).length;
  console.log(`browser bundle of ${entry}: ${kilobytes(code.length)} minified, ${kilobytes(bytes)} compressed`);
  const imported = output.flatMap((chunk) => [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])]);
  return [
    ...imported.map((module) => `${entry} imports ${module}, which a browser lacks`),
    ...(/\b(?:from|import|require)\s*\(?["'](?:node:)?(?:fs|path|crypto|http|net)["']/.test(code)
      ? [`${entry} imports a module of Node`]
      : []),
    ...(await runInBrowser(entry, script[0].code)),
    ...(bytes > maxBytes ? [`${entry} is ${bytes} bytes compressed, more than ${maxBytes}`] : []),
  ];
}

/** Runs a bundle where nothing is but what browsers have, and lets the client make a call there. */
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

function toArrayBuffer(bytes) {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

function kilobytes(bytes) {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}
