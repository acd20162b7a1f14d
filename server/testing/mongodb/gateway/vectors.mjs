// Atlas takes vectors as BSON binary; DocumentDB knows arrays of numbers only. What is stored and asked as binary goes
// in as an array and comes back as one, so whoever reads a vector takes both forms.
import { Binary, Double, deserialize, serialize } from 'bson';

export const KEEP_TYPES = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };

/** Subtype, kind of numbers and padding of a vector of float32. */
const FLOAT32_VECTOR = Buffer.from([9, 0x27, 0]);

export function plainDocument(bytes) {
  if (!bytes.includes(FLOAT32_VECTOR)) return bytes;
  return Buffer.from(serialize(withArrays(deserialize(bytes, KEEP_TYPES))));
}

/** The same for documents one after the other. */
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
