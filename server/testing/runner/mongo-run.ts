import { MongoClient } from 'mongodb';
import { v7 } from 'uuid';
import type { TestProject } from 'vitest/node';
import { LocalEmbedder } from '../../adapters/embedding/local/local-embedder.js';
import { setUpMongoStore } from '../../adapters/mongo/store.js';
import { DIMENSIONS } from '../fixtures/memories.js';
import { uriOf } from '../mongodb/database-uri.js';

/** A run of the tests on a MongoDB deployment. */
export interface MongoRun {
  /** The connection string. Its database is not used. */
  uri: string;
  /** The prefix of the names of the run's databases. */
  prefix: string;
  /** True if the search index lags behind writes, as it does everywhere except on the test engine. */
  indexLags: boolean;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined if the tests use the embedded store. */
    mongoRun: MongoRun | undefined;
  }
}

/** Returns the name of a worker's first database. */
export function databaseOf({ prefix }: Pick<MongoRun, 'prefix'>, worker: number | string, n: number): string {
  return `${prefix}${worker}_${n}`;
}

/**
 * Creates a database for each worker before all tests. The test files of the worker use it one after the other, because
 * a search index may take minutes to build. Afterwards drops all databases of the run, even if tests failed.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { MONGODB_URI: uri } = process.env;
  if (!uri) {
    throw new Error(
      'Set MONGODB_URI to a deployment for tests: "MONGODB_URI=$(npm run --silent mongodb:up)" starts one',
    );
  }
  const client = new MongoClient(uri);
  const { gitVersion } = await client.db().command({ buildInfo: 1 });
  const run = { uri, prefix: `test_${v7().replaceAll('-', '').slice(-12)}_`, indexLags: gitVersion !== 'documentdb' };
  const drop = async () => {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    for (const { name } of databases) if (name.startsWith(run.prefix)) await client.db(name).dropDatabase();
    await client.close();
  };
  try {
    await makeDatabases(run, project.config.maxWorkers);
  } catch (error) {
    await drop();
    throw error;
  }
  project.provide('mongoRun', run);
  return drop;
}

async function makeDatabases(run: MongoRun, workers: number): Promise<void> {
  const sizes = [DIMENSIONS, new LocalEmbedder().dimensions];
  for (let worker = 1; worker <= workers; worker += 1) {
    const name = databaseOf(run, worker, 0);
    const onProgress = (step: string) => run.indexLags && console.error(`${name}: ${step}`);
    for (const dimensions of sizes) await setUpMongoStore({ uri: uriOf(run.uri, name), dimensions, onProgress });
  }
}
