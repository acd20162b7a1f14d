// Implements sessions: transactions by session and number, and retryable writes.
import { noSuchTransaction } from './errors.mjs';

/** Aborts an idle transaction after this time, so that a killed process does not block a test for long. */
const IDLE_MS = 5_000;
const REMEMBERED = 10_000;

/** Open transactions, each on its own connection. */
export class Transactions {
  #pool;
  #open = new Map();
  #committed = new Memory(REMEMBERED);

  constructor(pool) {
    this.#pool = pool;
  }

  /** Returns the connection of a command's transaction. */
  async clientOf(command) {
    const key = keyOf(command);
    if (command.startTransaction) await this.#begin(key);
    const open = this.#open.get(key);
    if (!open) throw noSuchTransaction('the transaction is not in progress');
    open.timer.refresh();
    return open.client;
  }

  /** A driver that did not receive the answer may send a commit again. */
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

/** Stores answers to writes outside transactions, by session and number, so that a retry changes nothing. */
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

/** Keeps only the newest entries of a map. */
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
