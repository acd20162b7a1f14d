// Exports everything as an archive and imports it again. Existing memories do not change.
import assert from 'node:assert/strict';
import { MemoryClient } from '@memory-service/sdk';
import { exportAll, importAll } from '@memory-service/sdk/archive';

const client = new MemoryClient();
await client.upsert({ externalKey: 'luggage', content: 'The green suitcase has a broken wheel.' });

// #region take-along
const lines: string[] = [];
for await (const line of exportAll(client)) lines.push(line);

const there = new MemoryClient(); // of another organization, or of another service
const { created, present, failures } = await importAll(there, lines);
console.log(`${created} new, ${present} already present, ${failures.length} rejected`);
// #endregion take-along

const { counts } = JSON.parse(lines[0] ?? '') as { counts: { memories: number } };
assert.deepEqual([created, present, failures], [0, counts.memories, []]);
