import { execFile, execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** An event of a process that a power loss can affect. */
export type TraceEvent =
  | { kind: 'claim'; line: string }
  | { kind: 'create'; file: string }
  | { kind: 'write'; file: string; offset: number; bytes: Uint8Array }
  | { kind: 'truncate'; file: string; size: number }
  /**
   * The sync of a file, or of the folder itself if the name is empty. Changes that another thread made since the call
   * may be missing: `called` is the number of changes and syncs before the call.
   */
  | { kind: 'sync'; file: string; called: number }
  | { kind: 'unlink'; file: string };

/** All calls that change a file or make it durable. A kind of change that is not handled below ends the replay. */
const CALLS =
  `openat,open,creat,pwrite64,pwritev,pwritev2,write,writev,fsync,fdatasync,sync_file_range,ftruncate,truncate,\
fallocate,copy_file_range,sendfile,unlink,unlinkat,rename,renameat,renameat2,link,linkat`
    .split(',')
    // Not every processor has all of them.
    .map((call) => `?${call}`)
    .join();

/** Longer than any single write of the engine. */
const MAX_STRING_BYTES = 70_000;

/** Returns why system calls cannot be recorded here; undefined if they can. */
export function whyNoTrace(): string | undefined {
  try {
    execFileSync('strace', ['-f', '-o', '/dev/null', process.execPath, '--version'], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Runs a Node program to its end and records its system calls in `output`. */
export async function record(output: string, program: readonly string[]): Promise<void> {
  const options = ['-f', '-y', '-xx', '-s', String(MAX_STRING_BYTES), '-e', `trace=${CALLS}`, '-o', output];
  await promisify(execFile)('strace', [...options, process.execPath, ...program]);
}

/** The standard output of a process, and its changes to the databases in a folder. */
export interface Trace {
  /** The events in the order in which the calls returned. */
  events: TraceEvent[];
  /** The number of threads that changed the databases. */
  threads: number;
}

/** Reads a recorded trace. */
export async function readTrace(path: string, folder: string): Promise<Trace> {
  const reader = new TraceReader(folder);
  for await (const line of createInterface({ input: createReadStream(path) })) reader.read(line);
  return { events: reader.events, threads: reader.threads.size };
}

/** Joins the halves of calls that other threads interrupted in the record. */
class TraceReader {
  readonly events: TraceEvent[] = [];
  readonly threads = new Set<string>();
  readonly #unfinished = new Map<string, { text: string; called: number }>();
  #changes = 0;

  constructor(private readonly folder: string) {}

  read(line: string): void {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const called = this.#changes;
    if (rest.endsWith(UNFINISHED)) {
      this.#unfinished.set(thread, { text: rest.slice(0, -UNFINISHED.length), called });
      return;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)?.[1];
    const begun = resumed === undefined ? { text: rest, called } : this.#unfinished.get(thread);
    for (const event of readCall(`${begun?.text}${resumed ?? ''}`, this.folder)) {
      this.#add(event.kind === 'sync' ? { ...event, called: begun?.called ?? called } : event, thread);
    }
  }

  #add(event: TraceEvent, thread: string): void {
    this.events.push(event);
    if (event.kind === 'claim') return;
    this.#changes += 1;
    this.threads.add(thread);
  }
}

const UNFINISHED = ' <unfinished ...>';
const CALL = /^(\w+)\((.*)\) += (-?\d+)/;
const DESCRIPTOR = /^(\d+)<([^>]*)>(\(deleted\))?/;

function readCall(text: string, folder: string): TraceEvent[] {
  const [, name, given = '', result = '-1'] = CALL.exec(text) ?? [];
  if (name === undefined || Number(result) < 0) return [];
  const [, descriptor, path = '', deleted] = DESCRIPTOR.exec(given) ?? [];
  if (name === 'write' && descriptor === '1') return claims(given);
  const paths = descriptor === undefined || name === 'openat' || name === 'unlinkat' ? strings(given) : [decode(path)];
  const file = paths.map((each) => fileIn(folder, each)).find((each) => each !== undefined);
  // Writes to a deleted file are lost with it.
  if (file === undefined || deleted) return [];
  return readChange(name, file, given, Number(result));
}

function readChange(name: string, file: string, given: string, result: number): TraceEvent[] {
  const numbers = given.split(', ').slice(1);
  switch (name) {
    case 'open':
    case 'openat':
      return given.includes('O_CREAT') && file !== '' ? [{ kind: 'create', file }] : [];
    case 'pwrite64':
      return [{ kind: 'write', file, offset: Number(numbers[2]), bytes: bytesOf(given).subarray(0, result) }];
    case 'ftruncate':
      return [{ kind: 'truncate', file, size: Number(numbers[0]) }];
    case 'fsync':
    case 'fdatasync':
      return [{ kind: 'sync', file, called: 0 }];
    case 'unlink':
    case 'unlinkat':
      return [{ kind: 'unlink', file }];
    default:
      throw new Error(`The database was changed by ${name}, which the replay does not support`);
  }
}

function claims(given: string): TraceEvent[] {
  const lines = bytesOf(given).toString('utf8').trimEnd().split('\n');
  return lines.map((line) => ({ kind: 'claim', line }));
}

/**
 * Returns the name of a database or of one of its logs; empty for the folder. The index of a log is left out, because
 * the engine rebuilds it after a crash.
 */
function fileIn(folder: string, path: string): string | undefined {
  if (path === folder) return '';
  const name = path.slice(folder.length + 1);
  return path === join(folder, name) && /^memory\.(db|lock)(-wal|-journal)?$/.test(name) ? name : undefined;
}

function bytesOf(given: string): Buffer {
  const [, digits = '', cut] = /"([^"]*)"(\.\.\.)?/.exec(given) ?? [];
  if (cut) throw new Error(`A write is longer than the ${MAX_STRING_BYTES} bytes that were recorded of it`);
  return Buffer.from(digits.replaceAll('\\x', ''), 'hex');
}

function strings(given: string): string[] {
  return Array.from(given.matchAll(/"([^"]*)"/g), ([, digits = '']) => decode(digits));
}

function decode(digits: string): string {
  return Buffer.from(digits.replaceAll('\\x', ''), 'hex').toString('utf8');
}
