import { readFile } from 'node:fs/promises';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/**
 * Package with types → ways of resolving it that it does not serve. `node10` knows no `exports`. mcp has ES modules alone:
 * its users are the server and programs of their own.
 */
const UNSERVED = { sdk: ['node10'], mcp: ['node10', 'node16-cjs'] };

/** What package.json promises: that each file that it names is there, of the right kind, with types that fit. */
export async function lint({ name, manifest, tarball }) {
  const bytes = await readFile(tarball);
  const { messages } = await publint({ pack: { tarball: toArrayBuffer(bytes) }, strict: true });
  const found = messages.map((message) => formatMessage(message, manifest, { color: false }) ?? message.code);
  return [...found.map((message) => `publint: ${message}`), ...(await checkTypes(bytes, UNSERVED[name]))];
}

async function checkTypes(bytes, unserved) {
  if (unserved === undefined) return [];
  const { problems = [] } = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)));
  return problems
    .filter(({ resolutionKind }) => !unserved.includes(resolutionKind))
    .map((problem) => `attw: ${JSON.stringify(problem)}`);
}

function toArrayBuffer(bytes) {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}
