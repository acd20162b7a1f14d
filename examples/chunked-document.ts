// Stores a document that is too long for one memory, searches it, and syncs a new revision of it.
import assert from 'node:assert/strict';
import { chunkDocument, type Document, MemoryClient, syncDocument } from '@memory-service/sdk';

const client = new MemoryClient();
const chapters = [
  'Chapter one. The harbour opens at six in the morning and closes at ten at night.',
  'Chapter two. Fishing boats moor at the eastern pier, ferries at the western one.',
  'Chapter three. A lamp on the breakwater blinks twice every five seconds.',
];
const handbook = chapters.join('\n\n');

// #region document
const synced = await syncDocument(client, {
  documentId: 'harbour-handbook',
  text: handbook,
  maxLength: 100,
  metadata: { kind: 'handbook' },
});
console.log(`${synced.chunkTotal} chunks: ${synced.created} new, ${synced.kept} kept, ${synced.deleted} deleted`);

const { results } = await client.search({
  query: 'When does the harbour close at night?',
  filter: { documentId: 'harbour-handbook' },
  limit: 1,
});
console.log(results[0]?.metadata.chunkIndex, results[0]?.content);
// #endregion document

assert.deepEqual(synced, { documentId: 'harbour-handbook', chunkTotal: 3, created: 3, kept: 0, deleted: 0 });
assert.equal(results[0]?.metadata.chunkIndex, 0);

const foreword = 'Foreword. This handbook was last read through by the harbour master in March of this year.';
const next = await syncDocument(client, {
  documentId: 'harbour-handbook',
  text: [foreword, chapters[0], chapters[2]].join('\n\n'),
  maxLength: 100,
  metadata: { kind: 'handbook' },
});
assert.deepEqual(next, { documentId: 'harbour-handbook', chunkTotal: 3, created: 1, kept: 2, deleted: 1 });

// #region read
for await (const { documentId, chunkTotal, missing } of client.documents.list()) {
  console.log(documentId, `${chunkTotal} chunks, ${missing} missing`);
}

let text = '';
for (let from: number | undefined = 0; from !== undefined; ) {
  const part: Document = await client.documents.get('harbour-handbook', { from });
  text += part.content;
  from = part.nextChunk; // absent on the last part
}
// #endregion read

assert.equal(text, [foreword, chapters[0], chapters[2]].join('\n\n'));

// #region chunks
const chunks = chunkDocument(handbook, { documentId: 'harbour-handbook', maxLength: 100 });
console.log(chunks.map(({ content }) => content).join('') === handbook, chunks[0]?.metadata);
// #endregion chunks

assert.equal(chunks.map(({ content }) => content).join(''), handbook);

const { deleted } = await client.documents.delete('harbour-handbook');
assert.equal(deleted, 3);
