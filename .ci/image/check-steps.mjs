#!/usr/bin/env node
// Follows the Dockerfile without containers: each step of its stages runs in a folder of its own, with Debian packages and
// the Node of this machine in the place of the base images. Then it does with the result what docs/deploy.md says, as the
// user of the image, with its root read-only and without capabilities. Namespaces of Linux take the place of containers.
// check.mjs builds the image itself.
import { rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../documents.mjs';
import { missingNamespaces } from './confined.mjs';
import { contextFiles } from './context.mjs';
import { containerSettings, parseDockerfile, stageFaults } from './dockerfile.mjs';
import { FolderImage } from './folder-image.mjs';
import { checkService } from './service.mjs';
import { followSteps, isInContext } from './stage-folder.mjs';

const print = (line) => console.log(`${line} (${(performance.now() / 1_000).toFixed(0)} s)`);
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1));

const files = await contextFiles(ROOT);
const stages = parseDockerfile(await readFile(join(ROOT, 'Dockerfile'), 'utf8'));
const faults = stageFaults(stages, (source) => isInContext(files, source));
if (faults.length === 0) {
  const missing = missingNamespaces();
  if (missing === undefined) faults.push(...(await followAndRun()));
  else console.error(`NO NAMESPACES ON THIS MACHINE: the steps of the Dockerfile were only read. ${missing}`);
}
for (const fault of faults) console.error(`fault: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function followAndRun() {
  const folder = await mkdtemp(join(tmpdir(), 'memory-image-steps-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const folders = {};
  let last;
  for (const stage of stages) {
    const name = stage.name ?? 'image';
    print(`stage ${name}`);
    last = join(folder, name);
    folders[name] = last;
    await followSteps(stage, last, { stages: folders, files, print });
  }
  print('run');
  const found = await checkService(new FolderImage(last, containerSettings(stages.at(-1))));
  if (found.length === 0) print('image: its steps followed and the result run, without containers');
  return found;
}
