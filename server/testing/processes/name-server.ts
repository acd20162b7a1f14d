import { createSocket, type RemoteInfo } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

const HEAD_BYTES = 12;
const TYPE_A = 1;
const ANSWERED = 0x8180;
const NO_SUCH_NAME = 0x8183;

export interface NameServer {
  /** The address of the server, in the format of a resolver. */
  address: string;
  /** The names of the IPv4 queries so far. */
  asked: string[];
}

/**
 * Answers IPv4 address queries on this machine like a name server, until the test ends.
 *
 * @param addressesOf the addresses of a name; undefined to never answer, 'missing' for a name that does not exist
 */
export async function nameServer(
  addressesOf: (name: string) => readonly string[] | 'missing' | undefined,
): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { name, type, end } = questionOf(query);
    if (type === TYPE_A) asked.push(name);
    const addresses = addressesOf(name);
    if (addresses === undefined) return;
    const records = addresses === 'missing' || type !== TYPE_A ? [] : addresses.map(recordOf);
    const head = Buffer.alloc(HEAD_BYTES);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(addresses === 'missing' ? NO_SUCH_NAME : ANSWERED, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([head, query.subarray(HEAD_BYTES, end), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  const { port } = socket.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, asked };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEAD_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Returns a record with an address for the name in the question, valid for one minute. */
function recordOf(address: string): Buffer {
  const head = Buffer.from([0xc0, HEAD_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4]);
  return Buffer.concat([head, Buffer.from(address.split('.').map(Number))]);
}
