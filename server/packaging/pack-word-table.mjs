// Makes the table of word vectors of the local embedder from a model of Model2Vec:
//
//   node server/packaging/pack-word-table.mjs FOLDER
//
// FOLDER holds the model's model.safetensors and tokenizer.json. Prints the SHA-256 that
// server/adapters/embedding/local/word-table.ts names.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OUTPUT = fileURLToPath(new URL('../models/potion-base-8M.words', import.meta.url));
/** The model orders its dimensions by how much they tell. */
const DIMENSIONS = 224;
/** A component takes four bits: -7 to 7, of which 7 is the largest of its row. */
const LARGEST = 7;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node server/packaging/pack-word-table.mjs FOLDER');
  process.exit(2);
}

const weights = readFileSync(join(folder, 'model.safetensors'));
const tokenizer = readFileSync(join(folder, 'tokenizer.json'));
const rows = readRows(weights);
const pieces = readPieces(tokenizer, rows.count);

const header = JSON.stringify({
  model: 'minishlab/potion-base-8M',
  licence: 'MIT',
  weightsSha256: sha256(weights),
  tokenizerSha256: sha256(tokenizer),
  pieces: rows.count,
  dimensions: DIMENSIONS,
});
const packed = Buffer.concat([Buffer.from(`${[header, ...pieces].join('\n')}\n`), ...pack(rows)]);
writeFileSync(OUTPUT, packed);
console.log(`${OUTPUT}: ${packed.length} bytes, SHA-256 ${sha256(packed)}`);

/** The one matrix of a safetensors file. */
function readRows(file) {
  const headerLength = Number(file.readBigUInt64LE(0));
  const { embeddings } = JSON.parse(file.toString('utf8', 8, 8 + headerLength));
  const [count, width] = embeddings.shape;
  if (embeddings.dtype !== 'F32') throw new Error(`the weights are ${embeddings.dtype}, not F32`);
  const start = 8 + headerLength + embeddings.data_offsets[0];
  return { count, at: (row, column) => file.readFloatLE(start + 4 * (row * width + column)) };
}

/** The pieces in the order of their ids. */
function readPieces(file, count) {
  const { type, vocab } = JSON.parse(file.toString('utf8')).model;
  const sorted = Object.entries(vocab).sort(([, a], [, b]) => a - b);
  if (type !== 'WordPiece' || sorted.some(([, id], at) => id !== at) || sorted.length !== count) {
    throw new Error('the vocabulary does not fit the weights');
  }
  return sorted.map(([piece]) => piece);
}

/** The step of each row as a float of 32 bits, then two components to a byte. */
function pack({ count, at }) {
  const steps = Buffer.alloc(4 * count);
  const components = Buffer.alloc((count * DIMENSIONS) / 2);
  for (let row = 0; row < count; row++) {
    const values = Array.from({ length: DIMENSIONS }, (_, column) => at(row, column));
    const step = Math.max(...values.map(Math.abs)) / LARGEST;
    steps.writeFloatLE(step, 4 * row);
    const codes = values.map((value) => (step === 0 ? 0 : Math.round(value / step)) + LARGEST + 1);
    for (let column = 0; column < DIMENSIONS; column += 2) {
      components[(row * DIMENSIONS + column) / 2] = (codes[column] << 4) | codes[column + 1];
    }
  }
  return [steps, components];
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
