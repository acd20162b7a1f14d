import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtPackage } from '../testing/processes/server-process.js';
import { benchAgainst } from './against/run.js';
import { ask, measureLoad, measureReads, measureRestart, measureSingle, SEARCH, toRequest } from './alone.js';
import { measureBulk } from './bulk.js';
import { Corpus } from './corpus.js';
import { measureCrowd, warmUp, warmUpWrites } from './crowd.js';
import { benchDashboard } from './dashboard/run.js';
import { bareCommit, bareKoa, bareScan, type Floors } from './floors.js';
import { benchMongodb } from './mongodb/run.js';
import { measureSecrecy } from './secrecy.js';
import { benchSlowDisk } from './slow-disk.js';
import { printTable, type Row } from './table.js';
import { benchTelemetry } from './telemetry.js';
import { Truth } from './truth.js';
import { DIMENSIONS, ROUNDS, World } from './world.js';

const SEED = 42;
const MEBIBYTE = 1_048_576;

/** Measures the built server over HTTP, with its floors in the same run. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      /** Memories, all organizations together. */
      sizes: { type: 'string', default: '10000,50000' },
      organizations: { type: 'string', default: '1' },
      /** The clients in measurements with several clients. */
      clients: { type: 'string', default: '8' },
      /** `sqlite`, or `mongodb` for the deployment of MONGODB_URI. */
      store: { type: 'string', default: 'sqlite' },
      /** With `store` `mongodb`: counts what the database does for each operation instead. */
      'database-work': { type: 'boolean', default: false },
      /** Measures the pages of the dashboard in Chromium instead. */
      dashboard: { type: 'boolean', default: false },
      /** Measures the processor time of traces instead. */
      telemetry: { type: 'boolean', default: false },
      /** Other services and libraries to measure beside this one: chroma, lancedb, sqlite-vec. */
      against: { type: 'string' },
      /** Milliseconds that strace adds to each fsync, to measure writes on a slow disk. */
      'slow-disk': { type: 'string' },
    },
  });
  const sizes = values.sizes.split(',').map(Number);
  const truth = new Truth(DIMENSIONS, values.organizations === '1');
  const folder = await mkdtemp(join(tmpdir(), 'memory-service-bench-'));
  console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${DIMENSIONS} dimensions`);
  console.log(`${values.organizations} organizations, ${values.clients} parallel clients\n`);
  try {
    const delays = values['slow-disk']?.split(',').map(Number) ?? [];
    for (const delayMs of delays) await benchSlowDisk(folder, corpus, { delayMs, clients: Number(values.clients) });
    if (delays.length > 0) return;
    if (values.against !== undefined) {
      const [names, clients] = [values.against.split(','), Number(values.clients)];
      return await benchAgainst(folder, corpus, { names, sizes, clients });
    }
    if (values.telemetry) {
      for (const size of sizes) await benchTelemetry(folder, corpus, truth, size);
      return;
    }
    if (values.dashboard) {
      for (const size of sizes)
        await benchDashboard(await mkdtemp(join(folder, 'dashboard-')), { size, corpus, truth });
      return;
    }
    if (values.store === 'mongodb') {
      const [organizations, clients] = [Number(values.organizations), Number(values.clients)];
      const countsWork = values['database-work'];
      return await benchMongodb(folder, corpus, { sizes, organizations, clients, countsWork });
    }
    const world = await World.start(builtPackage('server'), folder, Number(values.organizations));
    try {
      for (const size of sizes) await measure(world, truth, size, folder, Number(values.clients));
    } finally {
      await world.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const corpus = new Corpus(SEED);

async function measure(world: World, truth: Truth, size: number, folder: string, clients: number): Promise<void> {
  const rows: Row[] = [await measureLoad(world, corpus, truth, size - warmUpWrites(size))];
  await warmUp(world, corpus, truth, clients, warmUpWrites(size));
  const floors = await measureFloors(world, folder, Math.ceil(size / world.organizations));
  rows.push(...(await measureReads(world, corpus, truth, floors)));
  rows.push(await measureSingle(world, corpus, truth, floors));
  rows.push(...(await measureCrowd(world, corpus, truth, floors, clients)));
  rows.push(await measureSecrecy(world));
  rows.push(...(await measureBulk(world, clients)));
  const memory = await world.server.memory();
  rows.push({ what: 'resident memory', value: megabytes(memory?.resident) });
  rows.push({ what: 'peak memory', value: megabytes(memory?.peak) });
  rows.push(await measureRestart(world, 'SIGKILL'));
  rows.push(await measureRestart(world, 'SIGTERM'));
  printTable(`${size} memories`, rows, [
    ['bare Koa, a memory in and out', floors.koa],
    ['bare Koa, a query in and ten memories out', floors.koaSearch],
    ['bare commit', floors.commit],
    ['bare scan', floors.scan],
  ]);
}

async function measureFloors(world: World, folder: string, rows: number): Promise<Floors> {
  const questions = ask(world, corpus, ROUNDS).map(toRequest);
  const found = await world.client(0).ok('POST', SEARCH, questions[0]);
  const koa = await bareKoa(corpus.take(ROUNDS));
  const koaSearch = await bareKoa(questions, found);
  const commit = await bareCommit(await mkdtemp(join(folder, 'floor-')), DIMENSIONS);
  const scan = await bareScan(rows, DIMENSIONS);
  return { koa: koa.p50, koaSearch: koaSearch.p50, commit: commit.p50, scan: scan.p50 };
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? 'unknown on this system' : `${Math.round(bytes / MEBIBYTE)} MB`;
}

await main();
