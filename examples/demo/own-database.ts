import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';

const DATABASE = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/;

/** A MongoDB database for one run, separate from other data of the deployment. */
export interface OwnDatabase {
  uri: string;
  drop(): Promise<void>;
}

/** Returns undefined if the environment does not select the MongoDB store. */
export function ownDatabase(env: NodeJS.ProcessEnv): OwnDatabase | undefined {
  if (env.SERVICE_STORE !== 'mongodb' || env.MONGODB_URI === undefined) return undefined;
  const uri = env.MONGODB_URI.replace(DATABASE, `$1/memory_${randomUUID()}`);
  return {
    uri,
    async drop() {
      const client = new MongoClient(uri);
      try {
        await client.db().dropDatabase();
      } finally {
        await client.close();
      }
    },
  };
}
