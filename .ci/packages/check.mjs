#!/usr/bin/env node
// Packs each package as it would be published, and goes the way of each of their users: installs them from the tarballs
// in empty folders, and runs their first commands against the installed server.
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PUBLISHED } from '../documents.mjs';
import { checkAiSdk, installOtherAiSdk } from './ai-sdk.mjs';
import { checkBrowser } from './browser.mjs';
import { checkCli } from './cli.mjs';
import { checkConformance } from './conformance.mjs';
import { checkContents } from './contents.mjs';
import { install, isInstalled } from './install.mjs';
import { checkLanggraph } from './langgraph.mjs';
import { lint } from './lint.mjs';
import { checkMcp } from './mcp.mjs';
import { frameworksOf, packAll, tarballsOf } from './pack.mjs';
import { startServer } from './processes.mjs';
import { checkRuntimes, installRuntimes } from './runtimes.mjs';
import { checkTypes } from './types.mjs';

/** The client must stay one small package. */
const MOST_MEGABYTES_OF_SDK = 1.5;

for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1));
const folder = await mkdtemp(join(tmpdir(), 'memory-packages-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const packages = await packAll(join(folder, 'packed'));
const folderOf = (name) => join(folder, name);
const print = (line) => console.log(line);
const faults = [];

/** Waits for the checks of a package, and keeps their findings. */
async function hold(name, ...checks) {
  for (const found of await Promise.all(checks)) faults.push(...found.map((fault) => `${name}: ${fault}`));
}

async function installPackage(name) {
  const { size, files } = packages[name];
  const found = await install(folderOf(name), [...tarballsOf(packages, name), ...frameworksOf(packages[name])]);
  print(
    `${name}: ${files.length} files, ${(size / 1_000).toFixed(0)} kB packed; installed ${found.packages} packages, ` +
      `${found.megabytes.toFixed(1)} MB in ${found.seconds.toFixed(1)} s`,
  );
  await hold(name, found.faults);
  return found;
}

const [{ packages: sdkPackages, megabytes: sdkMegabytes }, runtimes] = await Promise.all([
  installPackage('sdk'),
  installRuntimes(folderOf('runtimes'), print),
  installOtherAiSdk(folderOf('ai-sdk-7'), tarballsOf(packages, 'ai-sdk')),
  ...PUBLISHED.filter((name) => name !== 'sdk').map(installPackage),
]);
if (sdkPackages !== 1) faults.push(`sdk: ${sdkPackages} packages are installed`);
if (sdkMegabytes > MOST_MEGABYTES_OF_SDK) faults.push(`sdk: ${sdkMegabytes} MB are installed`);
if (await isInstalled(folderOf('server'), 'typescript')) faults.push('server: TypeScript is installed with it');

// The suite has a server for itself: it must leave nothing behind.
const [server, examined] = await Promise.all(
  ['data', 'examined-data'].map((name) => startServer(folderOf('server'), folderOf(name))),
);
try {
  await Promise.all([
    ...PUBLISHED.map((name) => hold(name, checkContents(packages[name]), lint(packages[name], print))),
    hold('sdk', checkTypes(folderOf('sdk'), print), checkBrowser(folderOf('sdk'), print)),
    hold('sdk', checkRuntimes(folderOf('sdk'), server, runtimes, print)),
    hold('cli', checkCli(folderOf('cli'), server, packages.cli.manifest.version, print)),
    hold('mcp', checkMcp(folderOf('mcp'), server, print)),
    hold('ai-sdk', checkAiSdk(folderOf('ai-sdk'), server, print), checkAiSdk(folderOf('ai-sdk-7'), server, print)),
    hold('langgraph', checkLanggraph(folderOf('langgraph'), server, print)),
    hold('conformance', checkConformance(folderOf('conformance'), examined, print)),
  ]);
} finally {
  await Promise.all([server.stop(), examined.stop()]);
}

for (const fault of faults) console.error(`fault: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
