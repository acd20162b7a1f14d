// Sessions: transactions by their session and number, and writes that a driver may send twice.
import { noSuchTransaction } from './errors.mjs';

/** A transaction that nobody goes on with is given up: a process that was killed must not hold a test up for long. */
const IDLE_MS = 5_000;
const REMEMBERED = 10_000;

/** Open transactions, each on a connection of its own. */
export class Transactions {
  #pool;
  #open = new Map();
  #committed = new Memory(REMEMBERED);

  constructor(pool) {
    this.#pool = pool;
  }

  /** The connection of a command's transaction. */
  async clientOf(command) {
    const key = keyOf(command);
    if (command.startTransaction) await this.#begin(key);
    const open = this.#open.get(key);
    if (!open) throw noSuchTransaction('the transaction is not in progress');
    open.timer.refresh();
    return open.client;
  }

  /** A commit may be sent again by a driver that did not hear the first answer. */
  async commit(command) {
    const key = keyOf(command);
    if (this.#committed.has(key)) return;
    const open = this.#open.get(key);
    if (!open) throw noSuchTransaction('the transaction is not in progress');
    const { command: done } = await this.#end(key, 'COMMIT');
    if (done === 'ROLLBACK') throw noSuchTransaction('the transaction had failed');
    this.#committed.set(key, true);
  }

  async abort(command) {
    await this.#end(keyOf(command), 'ROLLBACK');
  }

  async #begin(key) {
    await this.#end(key, 'ROLLBACK');
    const client = await this.#pool.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    const timer = setTimeout(() => void this.#end(key, 'ROLLBACK').catch(() => {}), IDLE_MS);
    this.#open.set(key, { client, timer });
  }

  async #end(key, statement) {
    const open = this.#open.get(key);
    if (!open) return {};
    this.#open.delete(key);
    clearTimeout(open.timer);
    try {
      return await open.client.query(statement);
    } finally {
      open.client.release();
    }
  }
}

/** Answers of writes outside of transactions, by session and number: the second sending of one changes nothing. */
export class RetryableWrites {
  #answers = new Memory(REMEMBERED);

  async once(command, write) {
    if (!command.lsid || command.txnNumber === undefined) return write();
    const key = keyOf(command);
    const known = this.#answers.get(key);
    if (known) return known;
    const answer = write();
    this.#answers.set(key, answer);
    try {
      return await answer;
    } catch (error) {
      this.#answers.delete(key);
      throw error;
    }
  }
}

/** The newest entries of a map. */
class Memory extends Map {
  #size;

  constructor(size) {
    super();
    this.#size = size;
  }

  set(key, value) {
    super.set(key, value);
    if (this.size > this.#size) this.delete(this.keys().next().value);
    return this;
  }
}

function keyOf({ lsid, txnNumber }) {
  return `${lsid.id.toString('hex')}/${txnNumber}`;
}
