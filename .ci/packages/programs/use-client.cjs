// The same by `require`.
const { MemoryClient, NotFoundError } = require('@memory-service/sdk');
const { signTestWebhook, verifyWebhook } = require('@memory-service/sdk/webhooks');

async function main() {
  const client = new MemoryClient();
  const { id } = await client.ingest({ content: `The lighthouse of ${crypto.randomUUID()} was painted red.` });
  await client.delete(id);
  const gone = await client.get(id).catch((error) => error);
  const { body, headers } = await signTestWebhook({ secret: 'whsec_c2VjcmV0' });
  const { event } = await verifyWebhook({ body, headers, secret: 'whsec_c2VjcmV0' });

  if (require.resolve('@memory-service/sdk').includes('cjs') === false) throw new Error('these are ES modules');
  if (!(gone instanceof NotFoundError)) throw new Error(`a deleted memory was answered with ${gone}`);
  console.log(`stored and deleted; verified ${event}`);
}

main();
