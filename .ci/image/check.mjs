#!/usr/bin/env node
// Builds the image of the Dockerfile with Podman, and does with it what docs/deploy.md says.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../documents.mjs';
import { provideBaseImages } from './base-images.mjs';
import { Podman } from './podman.mjs';
import { PodmanImage } from './podman-image.mjs';
import { checkService } from './service.mjs';

const IMAGE = 'memory-service';

if (!Podman.isThere()) {
  console.error('NO PODMAN: the image was not built');
  process.exit(0);
}
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1));
const folder = await mkdtemp(join(tmpdir(), 'memory-image-'));
const podman = new Podman(folder);
process.once('exit', () => podman.remove());

step('base images');
const missing = await runsContainers();
if (missing !== undefined) {
  console.error(`NO CONTAINERS ON THIS MACHINE: the image was not built. ${missing.slice(-500)}`);
  process.exit(0);
}
step('build');
await podman.build(IMAGE, ROOT, join(ROOT, 'Dockerfile'));
step('run');
const faults = await checkService(new PodmanImage(podman, IMAGE));
const size = Number(await podman.must('image', 'inspect', IMAGE, '--format', '{{.Size}}'));
step(`image: ${(size / 1e6).toFixed(0)} MB, built and run`);
for (const fault of faults) console.error(`fault: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;

function step(name) {
  console.log(`${name} (${(performance.now() / 1_000).toFixed(0)} s)`);
}

/** Provides the base images, and runs one. Returns what keeps this machine from doing so. */
async function runsContainers() {
  try {
    const { debian, isReal } = await provideBaseImages(podman, folder);
    if (!isReal) console.log('no registry: a Debian from its archive takes the place of the base images');
    const { code, output } = await podman.start(['--rm'], `docker.io/library/${debian}`, 'true');
    return code === 0 ? undefined : output;
  } catch (error) {
    return error.message;
  }
}
