// Tests an application without a server: a stand-in in the process responds instead of the service.
import assert from 'node:assert/strict';
// #region stand-in
import { MemoryClient } from '@memory-service/sdk';
import { StandInService } from '@memory-service/sdk/testing';
import { setupServer } from 'msw/node';

const standIn = new StandInService({ baseUrl: 'http://memory.test' });
const network = setupServer(...standIn.handlers);
network.listen();

const client = new MemoryClient({ baseUrl: 'http://memory.test', token: 'any' });
standIn.failNext('answer', { status: 429, retryAfter: 0 }); // a lost response, then a 429
const { outcome } = await client.ingest({ content: 'Ana leads the platform team.' });

console.log(outcome, standIn.memories.length);
// #endregion stand-in

// The first response was lost after the memory was stored, the second attempt was rejected, the third was deduplicated.
assert.equal(outcome, 'deduplicated');
assert.deepEqual(
  standIn.memories.map(({ content }) => content),
  ['Ana leads the platform team.'],
);
network.close();
