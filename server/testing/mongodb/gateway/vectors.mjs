// Atlas accepts vectors as BSON binary; DocumentDB only supports arrays of numbers. The gateway turns binary vectors
// into arrays, which are also returned, so every reader must accept both forms.
import { Binary, Double, deserialize, serialize } from 'bson';

export const KEEP_TYPES = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };

/** Subtype, number type and padding of a float32 vector. */
const FLOAT32_VECTOR = Buffer.from([9, 0x27, 0]);

export function plainDocument(bytes) {
  if (!bytes.includes(FLOAT32_VECTOR)) return bytes;
  return Buffer.from(serialize(withArrays(deserialize(bytes, KEEP_TYPES))));
}

/** Does the same for a sequence of documents. */
export function plainSequence(bytes) {
  if (!bytes.includes(FLOAT32_VECTOR)) return bytes;
  const documents = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at)) {
    documents.push(plainDocument(bytes.subarray(at, at + bytes.readInt32LE(at))));
  }
  return Buffer.concat(documents);
}

function withArrays(node) {
  if (Array.isArray(node)) return node.map(withArrays);
  if (node === null || typeof node !== 'object') return node;
  if (node._bsontype === 'Binary' && node.sub_type === Binary.SUBTYPE_VECTOR) {
    return Array.from(node.toFloat32Array(), (value) => new Double(value));
  }
  if (node._bsontype || node instanceof Date) return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withArrays(value)]));
}
