// Keeps the memories of the users of an application apart, and those of their projects.
import assert from 'node:assert/strict';
// #region users
import { MemoryClient, NotFoundError } from '@memory-service/sdk';

const client = new MemoryClient();
const ana = client.forSubject('user-1');
const ben = client.forSubject('user-2');

const { id } = await ana.ingest({ content: 'Drinks her tea without milk.' });
const found = await ben.search({ query: 'How does she drink her tea?' }); // only what is about user-2

console.log(found.results.length);
await ben.get(id).catch((error) => console.log(error instanceof NotFoundError)); // true
// #endregion users

assert.equal(found.results.length, 0);
await assert.rejects(ben.get(id), NotFoundError);

// #region scope
const acme = client.scoped({ subjectKey: 'user-1', project: 'acme', metadata: { draft: false } });
const { metadata } = await acme.ingest({ content: 'The acme build runs at noon.', metadata: { kind: 'note' } });
const notes = await acme.recent({ filter: { kind: 'note' } });

console.log(metadata.project, metadata.kind, notes.results.length); // TypeScript knows that project is 'acme'
// #endregion scope

assert.equal(metadata.project, 'acme');
assert.equal(notes.results.length, 1);
