// Messages of the MongoDB wire protocol: OP_MSG, and the OP_QUERY with which a driver connects.
import { deserialize, serialize } from 'bson';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HAS_CHECKSUM = 1;
const MORE_TO_COME = 2;

/** Splits the bytes from a socket into whole messages. */
export class Framer {
  #pending = Buffer.alloc(0);

  *take(chunk) {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    while (this.#pending.length >= 4 && this.#pending.length >= this.#pending.readInt32LE(0)) {
      const length = this.#pending.readInt32LE(0);
      yield Buffer.from(this.#pending.subarray(0, length));
      this.#pending = this.#pending.subarray(length);
    }
  }
}

/** Returns a command, its bytes, and its document sequences by name. */
export function readMessage(bytes) {
  const requestId = bytes.readInt32LE(4);
  const opCode = bytes.readInt32LE(12);
  if (opCode === OP_QUERY) return { requestId, opCode, ...readQuery(bytes) };
  if (opCode !== OP_MSG) throw new Error(`operation ${opCode} is not supported`);
  return { requestId, opCode, ...readSections(bytes) };
}

/** Returns undefined if the sender expects no answer. */
export function writeReply({ requestId, opCode, flags = 0 }, document) {
  if (flags & MORE_TO_COME) return undefined;
  const body = Buffer.isBuffer(document) ? document : Buffer.from(serialize(document));
  const head = Buffer.alloc(opCode === OP_QUERY ? 36 : 21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(requestId, 8);
  head.writeInt32LE(opCode === OP_QUERY ? OP_REPLY : OP_MSG, 12);
  if (opCode === OP_QUERY) {
    head.writeInt32LE(8, 16);
    head.writeInt32LE(1, 32);
  }
  return Buffer.concat([head, body]);
}

function readQuery(bytes) {
  const nameEnd = bytes.indexOf(0, 20);
  const rest = bytes.subarray(nameEnd + 9);
  const raw = rest.subarray(0, rest.readInt32LE(0));
  return { raw, command: deserialize(raw), sequences: {} };
}

function readSections(bytes) {
  const flags = bytes.readUInt32LE(16);
  const end = bytes.length - (flags & HAS_CHECKSUM ? 4 : 0);
  const sequences = {};
  let raw;
  for (let at = 20; at < end; ) {
    const size = bytes.readInt32LE(at + 1);
    const section = bytes.subarray(at + 1, at + 1 + size);
    if (bytes[at] === 0) {
      raw = section;
    } else {
      const nameEnd = section.indexOf(0, 4);
      sequences[section.toString('utf8', 4, nameEnd)] = section.subarray(nameEnd + 1);
    }
    at += 1 + size;
  }
  return { flags, raw, command: deserialize(raw), sequences };
}
