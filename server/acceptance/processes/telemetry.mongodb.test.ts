import { MongoServerError } from 'mongodb';
import { LocalEmbedder } from '../../adapters/embedding/local/local-embedder.js';
import manifest from '../../package.json' with { type: 'json' };
import { MongoDatabases } from '../../testing/mongodb/mongo-databases.js';
import { describeTelemetry } from '../../testing/processes/telemetry.suite.js';

const databases = new MongoDatabases(new LocalEmbedder().dimensions);

describeTelemetry({
  version: manifest.version,
  storeVariables: async () => ({ SERVICE_STORE: 'mongodb', MONGODB_URI: await databases.acquire() }),
  driverError: (text) => new MongoServerError({ message: `E11000 duplicate key error: ${text}`, code: 11_000 }),
});
