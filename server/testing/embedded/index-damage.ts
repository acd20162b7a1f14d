import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SeededChoices } from '../fixtures/seeded-choices.js';
import { indexFiles, type KeptFile, putFiles } from './data-folder.js';

/** Kinds of damage to a file of an index. */
const DAMAGE: Readonly<Record<string, (path: string, bytes: Buffer, choices: SeededChoices) => void>> = {
  'a bit flipped': (path, bytes, choices) => {
    const at = choices.below(bytes.length);
    bytes[at]! ^= 1 << choices.below(8);
    writeFileSync(path, bytes);
  },
  'a stretch of zeros': (path, bytes, choices) => writeFileSync(path, bytes.fill(0, choices.below(bytes.length))),
  'cut off': (path, bytes, choices) => writeFileSync(path, bytes.subarray(0, choices.below(bytes.length))),
  'made longer': (path, bytes) => writeFileSync(path, Buffer.concat([bytes, bytes])),
  'something else': (path) => writeFileSync(path, 'not an index at all, but long enough for a header'),
  missing: (path) => rmSync(path),
  'a folder': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

export const KINDS_OF_DAMAGE = [...Object.keys(DAMAGE), 'swapped', 'put back', 'a draft left', 'the folder missing'];

/**
 * Damages one index file.
 *
 * @param older files of other times and other databases, which may replace one
 */
export function damageSomething(
  dataDir: string,
  kind: string,
  older: readonly KeptFile[],
  choices: SeededChoices,
): void {
  const files = indexFiles(dataDir);
  if (files.length === 0) return;
  const file = choices.pick(files);
  const [one, other] = [file, choices.pick(files)];
  if (kind === 'swapped') {
    putFiles(dataDir, [
      { name: one.name, bytes: other.bytes },
      { name: other.name, bytes: one.bytes },
    ]);
  } else if (kind === 'put back') {
    const own = older.filter(({ name }) => name === file.name);
    const put = choices.pick(own.length > 0 && choices.chance(0.7) ? own : [file, ...older]);
    putFiles(dataDir, [{ name: file.name, bytes: put.bytes }]);
  } else if (kind === 'a draft left') {
    putFiles(dataDir, [{ name: `${file.name}.new`, bytes: file.bytes.subarray(0, choices.below(file.bytes.length)) }]);
  } else if (kind === 'the folder missing') {
    rmSync(join(dataDir, 'indexes'), { recursive: true });
  } else {
    DAMAGE[kind]?.(join(dataDir, 'indexes', file.name), Buffer.from(file.bytes), choices);
  }
}
