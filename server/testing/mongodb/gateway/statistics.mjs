// Answers the commands about statistics from those of PostgreSQL, for one database. Each connection reports what it did
// when it has been idle for ten seconds.
const TABLES = `SELECT c.collection_name, t.relid, t.seq_tup_read, t.idx_tup_fetch, t.n_tup_ins, t.n_tup_upd, t.n_tup_del
  FROM pg_stat_all_tables t JOIN documentdb_api_catalog.collections c ON t.relname = 'documents_' || c.collection_id
  WHERE t.schemaname = 'documentdb_data' AND c.database_name = $1`;

const READ_AND_WRITTEN = `SELECT
    coalesce(sum(t.seq_tup_read + coalesce(t.idx_tup_fetch, 0)), 0)::float8 AS "scannedObjects",
    coalesce(sum((SELECT sum(i.idx_tup_read) FROM pg_stat_all_indexes i WHERE i.relid = t.relid)), 0)::float8 AS scanned,
    coalesce(sum(t.n_tup_ins), 0)::float8 AS inserted,
    coalesce(sum(t.n_tup_upd), 0)::float8 AS updated,
    coalesce(sum(t.n_tup_del), 0)::float8 AS deleted
  FROM (${TABLES}) t`;

/** Vector indexes are not counted, since those of MongoDB are outside of the collection. */
const SIZES = `SELECT
    pg_table_size(t.relid)::float8 AS "storageSize",
    coalesce((SELECT sum(pg_relation_size(i.indexrelid)) FROM pg_indexes d
      JOIN pg_stat_all_indexes i ON i.schemaname = d.schemaname AND i.indexrelname = d.indexname
      WHERE i.relid = t.relid AND d.indexdef NOT LIKE '%hnsw%' AND d.indexdef NOT LIKE '%ivfflat%'), 0)::float8
      AS "totalIndexSize"
  FROM (${TABLES}) t WHERE t.collection_name = $2`;

export async function serverStatus(engine, db) {
  const [{ scanned, scannedObjects, inserted, updated, deleted }] = await engine.rows(READ_AND_WRITTEN, [db]);
  return { queryExecutor: { scanned, scannedObjects }, document: { inserted, updated, deleted } };
}

export async function collectionStatistics(engine, db, collection) {
  const [sizes] = await engine.rows(SIZES, [db, collection]);
  return { ns: `${db}.${collection}`, storageSize: 0, totalIndexSize: 0, ...sizes, ok: 1 };
}
