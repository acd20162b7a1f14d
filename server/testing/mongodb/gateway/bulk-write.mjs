// Implements writes to several collections in one command, with the engine's commands for one collection.
import { deserialize, Long, serialize } from 'bson';
import { withMongoCodes } from './errors.mjs';
import { KEEP_TYPES } from './vectors.mjs';

/** The engine's command for each kind of write, and the list of writes in it. */
const LISTS = { insert: 'documents', update: 'updates', delete: 'deletes' };

/** Runs ordered writes up to the first one that fails. The engine runs neighbors of one kind and collection together. */
export async function bulkWrite(engine, { ops, nsInfo }) {
  const namespaces = documentsOf(nsInfo).map((bytes) => deserialize(bytes).ns);
  const counts = { nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
  const errors = [];
  for (const run of runsOf(documentsOf(ops).map((bytes) => deserialize(bytes, KEEP_TYPES)))) {
    const failed = await runTogether(engine, namespaces[run.place], run, counts);
    if (!failed) continue;
    errors.push({ ok: 0, idx: run.from + failed.index, code: failed.code, errmsg: failed.errmsg });
    break;
  }
  const cursor = { id: Long.ZERO, ns: 'admin.$cmd.bulkWrite', firstBatch: errors };
  return { ok: 1, cursor, nErrors: errors.length, ...counts };
}

function* documents(bytes) {
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at)) yield bytes.subarray(at, at + bytes.readInt32LE(at));
}

function documentsOf(bytes) {
  return [...documents(bytes)];
}

function runsOf(ops) {
  const runs = [];
  for (const [from, op] of ops.entries()) {
    const kind = Object.keys(LISTS).find((each) => each in op);
    const place = op[kind].valueOf();
    const last = runs.at(-1);
    if (last?.kind === kind && last.place === place) last.writes.push(writeOf(kind, op));
    else runs.push({ kind, place, from, writes: [writeOf(kind, op)] });
  }
  return runs;
}

function writeOf(kind, op) {
  if (kind === 'insert') return op.document;
  const { filter: q, updateMods: u, multi, upsert } = op;
  if (kind === 'delete') return { q, limit: multi ? 0 : 1 };
  return { q, u, multi: multi ?? false, ...(upsert !== undefined && { upsert }) };
}

async function runTogether(engine, namespace, { kind, writes }, counts) {
  const at = namespace.indexOf('.');
  const [db, collection] = [namespace.slice(0, at), namespace.slice(at + 1)];
  const spec = { [kind]: collection, ordered: true, [LISTS[kind]]: writes };
  const reply = withMongoCodes(deserialize(await engine.write(kind, db, Buffer.from(serialize(spec)))));
  const upserted = reply.upserted?.length ?? 0;
  if (kind === 'insert') counts.nInserted += reply.n;
  else if (kind === 'delete') counts.nDeleted += reply.n;
  else {
    counts.nMatched += reply.n - upserted;
    counts.nModified += reply.nModified ?? 0;
    counts.nUpserted += upserted;
  }
  return reply.writeErrors?.[0];
}
