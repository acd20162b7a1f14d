// Stores, finds and deletes a memory with the installed client, and verifies a webhook. The address and the token are
// the arguments; without them the client reads them from the environment.
import { MemoryClient, NotFoundError } from '@memory-service/sdk';
import { signTestWebhook, verifyWebhook } from '@memory-service/sdk/webhooks';

const [baseUrl, token] = process.argv.slice(2);
const client = new MemoryClient(baseUrl === undefined ? {} : { baseUrl, token });

const { id } = await client.ingest({ content: `The lighthouse of ${crypto.randomUUID()} was painted white.` });
await client.update(id, { metadata: { kind: 'note' } });
const { results } = await client.search({ query: 'Which lighthouse is white?', filter: { kind: 'note' } });
await client.delete(id);
const gone = await client.get(id).catch((error) => error);
const { body, headers } = await signTestWebhook({ secret: 'whsec_c2VjcmV0' });
const { event } = await verifyWebhook({ body, headers, secret: 'whsec_c2VjcmV0' });

if (!results.some((result) => result.id === id)) throw new Error('the memory was not found');
if (!(gone instanceof NotFoundError)) throw new Error(`a deleted memory was answered with ${gone}`);
console.log(`stored, found and deleted; verified ${event}`);
