// Calls the functions of DocumentDB that implement MongoDB's commands. They accept the commands' own BSON.
import { CommandError } from './errors.mjs';

const SPEC = '$2::bytea::documentdb_core.bson';

/** Cursors with more pages: each function needs the continuation that it returned with the last page. */
const cursors = new Map();

/** Indexes are built one after the other, because parallel builds conflict in the engine. */
let lastIndexes = Promise.resolve();

export class Engine {
  #client;

  constructor(client) {
    this.#client = client;
  }

  /** Runs insert, update or delete. */
  async write(name, db, raw, documents) {
    const sql = `SELECT p_result::bytea AS reply FROM documentdb_api.${name}($1, ${SPEC}, $3::bytea::documentdb_core.bsonsequence)`;
    return this.#reply(sql, [db, raw, documents ?? null]);
  }

  async findAndModify(db, raw) {
    return this.#reply(`SELECT p_result::bytea AS reply FROM documentdb_api.find_and_modify($1, ${SPEC})`, [db, raw]);
  }

  async query(name, db, raw) {
    return this.#reply(`SELECT reply::bytea AS reply FROM documentdb_api.${name}($1, ${SPEC}) AS reply`, [db, raw]);
  }

  async openCursor(name, db, raw) {
    const sql = `SELECT cursorpage::bytea AS reply, continuation::bytea AS continuation, cursorid
      FROM documentdb_api.${name}_cursor_first_page($1, ${SPEC})`;
    const [{ reply, continuation, cursorid }] = await this.#rows(sql, [db, raw]);
    if (continuation && cursorid !== '0') cursors.set(String(cursorid), { db, continuation });
    return reply;
  }

  async getMore(id, raw) {
    const cursor = cursors.get(id);
    if (!cursor) throw new CommandError(43, 'CursorNotFound', `cursor id ${id} not found`);
    const sql = `SELECT cursorpage::bytea AS reply, continuation::bytea AS continuation
      FROM documentdb_api.cursor_get_more($1, ${SPEC}, $3::bytea::documentdb_core.bson)`;
    const [{ reply, continuation }] = await this.#rows(sql, [cursor.db, raw, cursor.continuation]);
    if (continuation) cursors.set(id, { ...cursor, continuation });
    else cursors.delete(id);
    return reply;
  }

  killCursors(ids) {
    const cursorsKilled = ids.filter((id) => cursors.delete(String(id)));
    return { ok: 1, cursorsKilled, cursorsNotFound: [], cursorsAlive: [], cursorsUnknown: [] };
  }

  async createIndexes(db, collection, raw) {
    const sql = `SELECT documentdb_api_internal.create_indexes_non_concurrently($1, ${SPEC}, true)`;
    const making = lastIndexes.then(async () => {
      await this.#rows('SELECT documentdb_api.create_collection($1, $2)', [db, collection]);
      await this.#rows(sql, [db, Buffer.from(raw)]);
    });
    lastIndexes = making.catch(() => {});
    await making;
  }

  async dropIndexes(db, raw) {
    await this.#rows(`SELECT documentdb_api_internal.drop_indexes_non_concurrently($1, ${SPEC})`, [
      db,
      Buffer.from(raw),
    ]);
  }

  async modifyCollection(db, collection, raw) {
    const sql = 'SELECT documentdb_api.coll_mod($1, $2, $3::bytea::documentdb_core.bson)::bytea AS reply';
    return this.#reply(sql, [db, collection, raw]);
  }

  async dropCollection(db, collection) {
    const [{ dropped }] = await this.#rows('SELECT documentdb_api.drop_collection($1, $2) AS dropped', [
      db,
      collection,
    ]);
    return dropped;
  }

  async listDatabases(raw) {
    const sql = 'SELECT documentdb_api.list_databases($1::bytea::documentdb_core.bson)::bytea AS reply';
    return this.#reply(sql, [raw]);
  }

  async dropDatabase(db) {
    await this.#rows('SELECT documentdb_api.drop_database($1)', [db]);
  }

  /** Runs a query of the tables of PostgreSQL. */
  async rows(sql, parameters) {
    return this.#rows(sql, parameters);
  }

  async #reply(sql, parameters) {
    const [{ reply }] = await this.#rows(sql, parameters);
    return reply;
  }

  async #rows(sql, parameters) {
    return (await this.#client.query(sql, parameters)).rows;
  }
}
