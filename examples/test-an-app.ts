// Tests an application without a server: a stand-in within the process answers in the place of the service.
import assert from 'node:assert/strict';
// #region stand-in
import { MemoryClient } from '@memory-service/sdk';
import { StandInService } from '@memory-service/sdk/testing';
import { setupServer } from 'msw/node';

const standIn = new StandInService({ baseUrl: 'http://memory.test' });
const network = setupServer(...standIn.handlers);
network.listen();

const client = new MemoryClient({ baseUrl: 'http://memory.test', token: 'any' });
standIn.failNext('answer', { status: 429, retryAfter: 0 }); // what a bad day looks like
const { outcome } = await client.ingest({ content: 'Ana leads the platform team.' });

console.log(outcome, standIn.memories.length);
// #endregion stand-in

// The first answer was lost after the memory was stored, the second try was refused, the third found it there.
assert.equal(outcome, 'deduplicated');
assert.deepEqual(
  standIn.memories.map(({ content }) => content),
  ['Ana leads the platform team.'],
);
network.close();
