// Runs the shell blocks of the documents, in the order of each page, against the built server: see `runShellBlocks`.
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readShellBlocks } from './blocks.mjs';
import { Reader } from './reader.mjs';
import { Receiver } from './receiver.mjs';

/**
 * Does what the documents tell to type, in a folder that has what a checkout has after `npm run build`.
 *
 * A command must exit with 0, what curl asks must be answered with 2xx, and the output that a page shows must be like
 * the one that there is. Every shell block is run, but for those that `not-run.mjs` names.
 *
 * @returns what was not as it must be, in words
 */
export async function runShellBlocks() {
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1));
  const { run, notRun, faults } = await readShellBlocks();
  const folder = await mkdtemp(join(tmpdir(), 'memory-shell-blocks-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const receiver = new Receiver();
  await receiver.listen();
  const reader = new Reader(folder, receiver);
  try {
    await reader.prepare();
    for (const block of run) {
      const found = await reader.type(block);
      faults.push(...found.map((fault) => `${block.document}: ${block.code.split('\n')[0]}: ${fault}`));
    }
  } finally {
    await reader.leave();
    receiver.close();
  }
  console.log(`${run.length} shell blocks run, ${notRun} not`);
  return faults;
}
