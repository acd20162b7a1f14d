import { readFile } from 'node:fs/promises';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/**
 * Package with types → ways of resolving it that it does not serve. `node10` knows no `exports`. mcp and the
 * packages for frameworks have ES modules alone.
 */
const UNSERVED = {
  sdk: ['node10'],
  mcp: ['node10', 'node16-cjs'],
  'ai-sdk': ['node10', 'node16-cjs'],
  langgraph: ['node10', 'node16-cjs'],
};

/** Checks that each file named in package.json exists, has the right kind, and has matching types. */
export async function lint({ name, manifest, tarball }, print) {
  const bytes = await readFile(tarball);
  const { messages } = await publint({ pack: { tarball: toArrayBuffer(bytes) }, strict: true });
  const found = messages.map((message) => formatMessage(message, manifest, { color: false }) ?? message.code);
  const problems = await typeProblems(bytes, UNSERVED[name]);
  const ofTypes = problems && `, attw ${problems.length}`;
  print(`${name}: publint has ${found.length} messages${ofTypes ?? ''}`);
  return [...found.map((message) => `publint: ${message}`), ...(problems ?? [])];
}

/** Undefined for a package without types. */
async function typeProblems(bytes, unserved) {
  if (unserved === undefined) return undefined;
  const { problems = [] } = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)));
  return problems
    .filter(({ resolutionKind }) => !unserved.includes(resolutionKind))
    .map((problem) => `attw: ${JSON.stringify(problem)}`);
}

function toArrayBuffer(bytes) {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}
